// Plots: uPlot gives axes, cursor and selection; curves, gaps and the legend are drawn here.

const plots = [];
const DASHES = [[], [8, 4], [9, 3, 2, 3], [2, 3]];
const PAD = 0.03;

const makePlot = (figure) => {
  const data = dataOf(figure);
  const columns = data.columns.map(columnOf);
  const series = data.series.map((s, k) => ({ ...s, x: columns[s.x], y: columns[s.y], shown: true, ...looks(s.look ?? k) }));
  const plot = {
    figure, data, series, u: null,
    box: figure.querySelector(".drawing"),
    log: { x: data.xLog, y: data.yLog },
    view: { x: [0, 1], y: [0, 1] },
    ticks: { x: null, y: null },
    zoomed: false,
  };
  const can = { x: series.some((s) => anyPositive(s.x)), y: series.some((s) => anyPositive(s.y)) };
  plot.log.x &&= can.x;
  plot.log.y &&= can.y;
  plot.can = can;
  makeTools(plot);
  makeLegend(plot);
  build(plot);
  listen(plot);
  plots.push(plot);
};

const looks = (k) => ({ ink: `--s${k % 8}`, dash: DASHES[(k + Math.floor(k / 8)) % 4] });
const anyPositive = (values) => values.some((v) => v > 0 && v < Infinity);

// The range of what is shown, with a margin.
const fit = (plot, axis) => {
  let low = Infinity, high = -Infinity;
  for (const s of plot.series) {
    if (!s.shown) continue;
    for (const v of s[axis]) {
      if (!Number.isFinite(v) || (plot.log[axis] && v <= 0)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  if (low > high) return plot.log[axis] ? [0.1, 10] : [0, 1];
  if (plot.log[axis]) {
    const margin = low === high ? 0.5 : (Math.log10(high) - Math.log10(low)) * PAD;
    const past = (v, sign) => 10 ** Math.max(-323, Math.min(308, Math.log10(v) + sign * margin));
    return [past(low, -1), past(high, 1)];
  }
  if (low === high) {
    const half = Math.abs(low) * 0.1 || 1;
    return [low - half, high + half];
  }
  // Differences of what is shown are finite.
  const limit = Number.MAX_VALUE / 2.3;
  [low, high] = [Math.max(low, -limit), Math.min(high, limit)];
  // Time series fill the width.
  const margin = axis === "x" && plot.series.every((s) => s.ordered && (s.mark === "line" || s.mark === "band")) ? 0 : (high - low) * PAD;
  return [low - margin, high + margin];
};

const reset = (plot) => {
  plot.view = { x: fit(plot, "x"), y: fit(plot, "y") };
  plot.zoomed = false;
  equalise(plot);
  show(plot);
  note(plot);
};

// Widens the shorter axis until a unit is as long on both.
const equalise = (plot) => {
  if (!plot.data.equal || plot.log.x || plot.log.y || !plot.u) return;
  const { width, height } = plot.u.bbox;
  if (!(width > 0 && height > 0)) return;
  const { x, y } = plot.view;
  const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
  const widen = ([a, b], size) => [(a + b - unit * size) / 2, (a + b + unit * size) / 2];
  plot.view = { x: widen(x, width), y: widen(y, height) };
};

// Other labels may leave the axes another length than that for which units were made equal.
const settle = (plot) => {
  const { width, height } = plot.u?.bbox ?? {};
  const [x, y] = ["x", "y"].map((axis) => plot.view[axis][1] - plot.view[axis][0]);
  const off = Math.abs((x / width) / (y / height) - 1) > 1e-9;
  plot.tries = plot.data.equal && !plot.zoomed && !plot.log.x && !plot.log.y && off ? (plot.tries ?? 0) + 1 : 0;
  if (plot.tries > 0 && plot.tries < 5) queueMicrotask(() => { equalise(plot); show(plot); });
};

const show = (plot) => {
  const { u } = plot;
  if (!u) return;
  u.redraw(true, true);
  plot.resetButton.disabled = !plot.zoomed;
};

const sizeOf = (plot) => ({
  width: Math.max(240, plot.box.clientWidth),
  height: plot.data.equal ? Math.max(320, Math.min(520, plot.box.clientWidth * 0.75)) : 340,
});

const build = (plot) => {
  const { data, log } = plot;
  // The scales of uPlot are parts of the axes, from 0 to 1: what they mean is in `view`. So no
  // number is too large, too small or too close to another for it.
  const scale = () => ({ time: false, range: [0, 1] });
  const font = (size, weight = "") => `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`.trim();
  const axis = (name, label) => ({
    scale: name,
    label,
    labelSize: 24,
    labelFont: font(13),
    font: font(12),
    stroke: () => colour("--soft"),
    // Lines at the ticks that have a label.
    grid: { stroke: () => colour("--grid"), width: 1, filter: (u, splits) => splits.map((v, k) => (plot.ticks[name]?.labels[k] ? v : null)) },
    border: { show: true, stroke: () => colour("--strong"), width: 1 },
    ticks: { stroke: () => colour("--strong"), width: 1, size: 5 },
    gap: 4,
    splits: (u) => {
      const [low, high] = plot.view[name];
      const pixels = (name === "x" ? u.bbox.width : u.bbox.height) / devicePixelRatio || 400;
      const parts = Math.max(2, Math.floor(pixels / (name === "x" ? 95 : 45)));
      plot.ticks[name] = ticksOf(low, high, parts, log[name]);
      return plot.ticks[name].ticks.map((tick) => partOf(plot, name, tick));
    },
    filter: (u, splits) => splits,
    values: () => plot.ticks[name]?.labels ?? [],
    ...(name === "y" ? { size: (u, values) => 18 + 7.2 * Math.max(3, ...(values ?? []).map((v) => v.length)) } : { size: 34 }),
  });
  const options = {
    ...sizeOf(plot),
    scales: { x: scale(), y: scale() },
    axes: [axis("x", data.xLabel), axis("y", data.yLabel)],
    series: [{}, { paths: () => null, points: { show: false } }],
    legend: { show: false },
    padding: [10, 14, 0, 0],
    cursor: {
      points: { show: false },
      drag: { x: true, y: true, uni: 30, dist: 5, setScale: false },
      bind: { dblclick: () => () => { reset(plot); return null; } },
    },
    hooks: {
      draw: [(u) => { drawSeries(plot, u); settle(plot); }],
      setSelect: [(u) => select(plot, u)],
      setCursor: [(u) => follow(plot, u)],
    },
  };
  plot.box.replaceChildren();
  // The points here serve the scales alone.
  plot.u = new uPlot(options, [[0, 1], [0, 1]], plot.box);
  plot.spots = plot.series.map((s) => {
    const spot = element("div", { className: "spot", hidden: true });
    plot.u.over.append(spot);
    return spot;
  });
  reset(plot);
};

// What the logarithmic axes cannot show.
const note = (plot) => {
  const line = plot.figure.querySelector(".live");
  const said = ["x", "y"]
    .map((axis) => [axis, plot.data[axis + "Below"]])
    .filter(([axis, below]) => plot.log[axis] && below > 0)
    .map(([axis, below]) => `${grouped(below)} ${below === 1 ? "value" : "values"} of ${axis} ${below === 1 ? "is" : "are"} zero or negative and cannot be on the logarithmic axis: ${axis === "y" ? "gaps, marked at the lower edge" : "gaps"}.`);
  for (const axis of ["x", "y"]) {
    if (!plot.data[axis + "Log"] || plot.can[axis]) continue;
    const any = plot.series.some((s) => s[axis].some((v) => !Number.isNaN(v)));
    said.push(any ? `No ${axis} is positive and finite, so the axis is linear.` : `There are no values of ${axis}.`);
  }
  line.textContent = said.join(" ");
  line.hidden = said.length === 0;
};
