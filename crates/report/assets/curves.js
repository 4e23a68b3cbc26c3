// Curves, with their gaps, on the canvas of a plot.

const drawSeries = (plot, u) => {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = "round";
  for (const s of plot.series) {
    if (!s.shown) continue;
    ctx.strokeStyle = ctx.fillStyle = colour(s.ink);
    ctx.lineWidth = 1.6 * ratio;
    ctx.setLineDash(s.dash.map((d) => d * ratio));
    (s.mark === "band" ? drawBand : drawCurve)(plot, u, s, ratio);
  }
  ctx.restore();
};

// One curve: gaps where a value is missing, a disc where a point has no neighbour, and a tick at
// the edge for what a logarithmic axis cannot show.
const drawCurve = (plot, u, s, ratio) => {
  const { ctx, bbox } = u;
  const toX = placer(plot, "x", bbox.left, bbox.width, false);
  const toY = placer(plot, "y", bbox.top, bbox.height, true);
  const discs = [];
  const edge = [];
  let run = 0, lastX = 0, lastY = 0, spread = 0;
  // A point alone, or many at one place.
  const end = () => {
    if (run > 0 && spread < ratio && s.mark === "line") discs.push([lastX, lastY]);
    [run, spread] = [0, 0];
  };
  ctx.beginPath();
  for (let k = 0; k < s.x.length; k++) {
    const px = toX(s.x[k]);
    const py = toY(s.y[k]);
    if (Number.isNaN(px) || Number.isNaN(py)) {
      end();
      if (!Number.isNaN(px) && !Number.isNaN(s.y[k])) edge.push([px, s.y[k] === Infinity]);
      continue;
    }
    if (s.mark !== "points") run++ ? ctx.lineTo(px, py) : ctx.moveTo(px, py);
    if (s.mark !== "line") discs.push([px, py]);
    if (run > 1) spread += Math.abs(px - lastX) + Math.abs(py - lastY);
    [lastX, lastY] = [px, py];
  }
  end();
  if (s.mark !== "points") ctx.stroke();
  ctx.setLineDash([]);
  ctx.beginPath();
  const radius = (s.mark === "line" ? 2.2 : s.mark === "both" ? 3.5 : s.x.length > 2000 ? 1.2 : 2.5) * ratio;
  for (const [px, py] of discs) {
    ctx.moveTo(px + radius, py);
    ctx.arc(px, py, radius, 0, 2 * Math.PI);
  }
  ctx.fill();
  ctx.lineWidth = ratio;
  ctx.beginPath();
  for (const [px, high] of edge) {
    const from = high ? bbox.top : bbox.top + bbox.height;
    ctx.moveTo(px, from);
    ctx.lineTo(px, from + (high ? 7 : -7) * ratio);
  }
  ctx.stroke();
};

// An area between the two ends at each abscissa, with its edges; gaps where an end is missing.
const drawBand = (plot, u, s, ratio) => {
  const { ctx, bbox } = u;
  const toX = placer(plot, "x", bbox.left, bbox.width, false);
  const toY = placer(plot, "y", bbox.top, bbox.height, true);
  const floor = bbox.top + bbox.height;
  let low = [], high = [];
  const end = () => {
    ctx.setLineDash([]);
    ctx.lineWidth = ratio;
    ctx.beginPath();
    for (const [px, py] of high) ctx.lineTo(px, py);
    for (const [px, py] of [...low].reverse()) ctx.lineTo(px, py);
    ctx.closePath();
    ctx.globalAlpha = 0.35;
    ctx.fill();
    ctx.globalAlpha = 1;
    for (const edge of [high, low]) {
      ctx.beginPath();
      for (const [px, py] of edge) ctx.lineTo(px, py);
      ctx.stroke();
    }
    [low, high] = [[], []];
  };
  for (let k = 0; k + 1 < s.x.length; k += 2) {
    const px = toX(s.x[k]);
    const top = toY(s.y[k + 1]);
    // An end that a logarithmic axis cannot show lies below it.
    const bottom = plot.log.y && s.y[k] <= 0 ? floor : toY(s.y[k]);
    if ([px, bottom, top].some(Number.isNaN)) end();
    else low.push([px, bottom]) && high.push([px, top]);
  }
  end();
};

// Position in pixels of the canvas; NaN for what has none. Far outside, the position is cut off,
// because canvases draw nothing for coordinates that are too large.
const placer = (plot, axis, start, size, flip) => {
  const log = plot.log[axis];
  const [low, high] = plot.view[axis].map((v) => (log ? Math.log10(v) : v));
  const limit = 1e6;
  return (v) => {
    if (!Number.isFinite(v) || (log && v <= 0)) return NaN;
    const part = ((log ? Math.log10(v) : v) - low) / (high - low);
    const p = start + size * (flip ? 1 - part : part);
    return p < -limit ? -limit : p > limit ? limit : p;
  };
};
