// The legend: which series are shown, and their values at the cursor.

const makeLegend = (plot) => {
  const legend = plot.figure.querySelector(".legend");
  plot.at = element("span", { className: "at" });
  for (const s of plot.series) {
    const space = "http://www.w3.org/2000/svg";
    const sample = document.createElementNS(space, "svg");
    sample.setAttribute("width", 28);
    sample.setAttribute("height", 12);
    sample.setAttribute("aria-hidden", "true");
    const add = (name, attributes) => {
      const shape = document.createElementNS(space, name);
      for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
      sample.append(shape);
    };
    if (s.mark === "band") add("rect", { x: 1, y: 2, width: 26, height: 8, fill: `var(${s.ink})`, "fill-opacity": 0.35, stroke: `var(${s.ink})` });
    else if (s.mark !== "points") add("path", { d: "M1 6H27", stroke: `var(${s.ink})`, "stroke-width": 2.2, "stroke-dasharray": s.dash.join(" ") || "none" });
    if (s.mark === "points" || s.mark === "both") add("circle", { cx: 14, cy: 6, r: 3.5, fill: `var(${s.ink})` });
    s.value = element("span", { className: "value" });
    const button = element("button", { type: "button", title: "Show or hide" }, sample, element("span", { textContent: s.name }), s.value);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      s.shown = !s.shown;
      button.setAttribute("aria-pressed", s.shown);
      if (plot.zoomed) plot.u.redraw(false);
      else reset(plot);
    });
    legend.append(button);
  }
  legend.append(plot.at);
};

// Values at the cursor, here and in the plots over the same abscissas.
let following = false;
const follow = (plot, u) => {
  if (!plot.spots) return;
  const { left, top } = u.cursor;
  const inside = left >= 0;
  readOff(plot, inside ? left : null, top);
  if (following || !plot.data.sync) return;
  following = true;
  const x = inside ? valueAt(plot, "x", left / u.over.clientWidth) : null;
  for (const other of plots) {
    if (other === plot || other.data.sync !== plot.data.sync || !other.u) continue;
    const part = x === null ? -1 : partOf(other, "x", x);
    const within = part >= 0 && part <= 1;
    other.u.setCursor({ left: within ? part * other.u.over.clientWidth : -10, top: -10 }, true);
  }
  following = false;
};

const readOff = (plot, left, top) => {
  const { clientWidth: w, clientHeight: h } = plot.u.over;
  const toX = placer(plot, "x", 0, w, false);
  const toY = placer(plot, "y", 0, h, true);
  plot.at.textContent = left === null ? "" : `${plot.data.xLabel || "x"} = ${written(valueAt(plot, "x", left / w), 5)}`;
  plot.series.forEach((s, k) => {
    const index = left === null || !s.shown ? -1 : s.ordered ? nearestAlong(s.x, valueAt(plot, "x", left / w)) : nearest(s, toX, toY, left, top);
    const spot = plot.spots[k];
    if (s.mark === "band") {
      const first = index - (index % 2);
      spot.hidden = true;
      s.value.textContent = index < 0 ? "" : `${written(s.y[first], 4)} … ${written(s.y[first + 1], 4)}`;
      return;
    }
    const [px, py] = index < 0 ? [NaN, NaN] : [toX(s.x[index]), toY(s.y[index])];
    spot.hidden = !(px >= 0 && px <= w && py >= 0 && py <= h);
    s.value.textContent = index < 0 ? "" : s.ordered ? written(s.y[index]) : `(${written(s.x[index], 4)}, ${written(s.y[index], 4)})`;
    if (spot.hidden) return;
    spot.style.background = `var(${s.ink})`;
    spot.style.transform = `translate(${px}px, ${py}px)`;
  });
};

const nearestAlong = (xs, x) => {
  if (!xs.length) return -1;
  let [a, b] = [0, xs.length - 1];
  while (b - a > 1) {
    const middle = (a + b) >> 1;
    if (xs[middle] <= x) a = middle;
    else b = middle;
  }
  return Math.abs(xs[a] - x) <= Math.abs(xs[b] - x) ? a : b;
};

const nearest = (s, toX, toY, left, top) => {
  let [best, least] = [-1, Infinity];
  for (let k = 0; k < s.x.length; k++) {
    const distance = (toX(s.x[k]) - left) ** 2 + (toY(s.y[k]) - top) ** 2;
    if (distance < least) [best, least] = [k, distance];
  }
  return best;
};
