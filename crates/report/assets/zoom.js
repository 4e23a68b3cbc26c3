// Zooming and moving: with the mouse, the wheel, the keys and the buttons.

// Positions along an axis are parts of it; in logarithms, so that no ratio overflows.
const valueAt = (plot, axis, part) => {
  const [low, high] = plot.view[axis];
  if (!plot.log[axis]) return low + (high - low) * part;
  const [from, to] = [Math.log10(low), Math.log10(high)];
  return 10 ** (from + (to - from) * part);
};

const partOf = (plot, axis, value) => {
  const [low, high, at] = [...plot.view[axis], value].map((v) => (plot.log[axis] ? Math.log10(v) : v));
  return (at - low) / (high - low);
};

// The part [a, b] of the axis becomes all of it, unless that is below what numbers resolve.
const narrow = (plot, axis, a, b) => {
  const [low, high] = [valueAt(plot, axis, a), valueAt(plot, axis, b)];
  const fine = Number.isFinite(low) && Number.isFinite(high) && high - low > 1e-13 * Math.max(Math.abs(low), Math.abs(high));
  if (fine && (!plot.log[axis] || low > 0)) {
    plot.view[axis] = [low, high];
    plot.zoomed = true;
  }
};

const select = (plot, u) => {
  const { left, top, width, height } = u.select;
  if (width < 3 && height < 3) return;
  const [w, h] = [u.over.clientWidth, u.over.clientHeight];
  if (width >= 3) narrow(plot, "x", left / w, (left + width) / w);
  if (height >= 3) narrow(plot, "y", 1 - (top + height) / h, 1 - top / h);
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  show(plot);
};

const shift = (plot, dx, dy) => {
  if (dx) narrow(plot, "x", dx, 1 + dx);
  if (dy) narrow(plot, "y", dy, 1 + dy);
  show(plot);
};

const magnify = (plot, factor, atX = 0.5, atY = 0.5) => {
  const size = 1 / factor;
  narrow(plot, "x", atX - atX * size, atX + (1 - atX) * size);
  narrow(plot, "y", atY - atY * size, atY + (1 - atY) * size);
  show(plot);
};

const listen = (plot) => {
  const { box } = plot;
  const over = (event) => plot.u.over.contains(event.target) || event.target === plot.u.over;
  box.addEventListener("mousedown", (event) => {
    if (!event.shiftKey || event.button !== 0 || !over(event)) return;
    event.preventDefault();
    event.stopPropagation();
    let [x, y] = [event.clientX, event.clientY];
    const move = (e) => {
      shift(plot, (x - e.clientX) / plot.u.over.clientWidth, (e.clientY - y) / plot.u.over.clientHeight);
      [x, y] = [e.clientX, e.clientY];
    };
    const stop = () => { removeEventListener("mousemove", move); removeEventListener("mouseup", stop); };
    addEventListener("mousemove", move);
    addEventListener("mouseup", stop);
  }, true);
  box.addEventListener("wheel", (event) => {
    if (!over(event) || !(event.ctrlKey || event.shiftKey || event.metaKey)) return;
    event.preventDefault();
    const area = plot.u.over.getBoundingClientRect();
    if (event.shiftKey) return shift(plot, (event.deltaX || event.deltaY) / area.width, 0);
    const factor = Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) * 0.004);
    magnify(plot, factor, (event.clientX - area.left) / area.width, 1 - (event.clientY - area.top) / area.height);
  }, { passive: false });
  touch(plot);
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      ArrowLeft: () => shift(plot, -0.1, 0), ArrowRight: () => shift(plot, 0.1, 0),
      ArrowUp: () => shift(plot, 0, 0.1), ArrowDown: () => shift(plot, 0, -0.1),
      "+": () => magnify(plot, 1.4), "=": () => magnify(plot, 1.4), "-": () => magnify(plot, 1 / 1.4),
      0: () => reset(plot), Home: () => reset(plot),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  new ResizeObserver(() => {
    const size = sizeOf(plot);
    if (printing || (size.width === plot.u.width && size.height === plot.u.height)) return;
    plot.u.setSize(size);
    if (plot.data.equal && !plot.zoomed) reset(plot);
  }).observe(box);
};

// One finger moves along x (up and down it moves the page), two fingers zoom and move.
const touch = (plot) => {
  const { over } = plot.u;
  const fingers = new Map();
  over.style.touchAction = "pan-y";
  over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const middle = () => {
    const at = [...fingers.values()];
    const [x, y] = [0, 1].map((k) => at.reduce((sum, place) => sum + place[k], 0) / at.length);
    const apart = at.length > 1 ? Math.hypot(at[0][0] - at[1][0], at[0][1] - at[1][1]) : 0;
    return { x, y, apart };
  };
  over.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = middle();
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const after = middle();
    const area = over.getBoundingClientRect();
    if (before.apart > 10 && after.apart > 10) {
      magnify(plot, after.apart / before.apart, (after.x - area.left) / area.width, 1 - (after.y - area.top) / area.height);
    }
    shift(plot, (before.x - after.x) / area.width, fingers.size > 1 ? (after.y - before.y) / area.height : 0);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    over.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
};

const makeTools = (plot) => {
  const tools = plot.figure.querySelector(".tools");
  const toggle = (axis) => {
    const button = element("button", { type: "button", textContent: `log ${axis}` });
    button.setAttribute("aria-pressed", plot.log[axis]);
    button.disabled = !plot.can[axis];
    button.title = plot.can[axis] ? `Logarithmic ${axis} axis` : `No positive ${axis} to show on a logarithmic axis`;
    button.addEventListener("click", () => {
      plot.log[axis] = !plot.log[axis];
      button.setAttribute("aria-pressed", plot.log[axis]);
      reset(plot);
    });
    return button;
  };
  const zoom = (label, title, factor) => {
    const button = element("button", { type: "button", textContent: label, title });
    button.setAttribute("aria-label", title);
    button.addEventListener("click", () => magnify(plot, factor));
    return button;
  };
  plot.resetButton = element("button", { type: "button", textContent: "Reset", title: "Show everything (double-click)", disabled: true });
  plot.resetButton.addEventListener("click", () => reset(plot));
  const hint = element("span", { className: "note hint", textContent: "Drag to zoom, shift-drag to move, double-click to reset. Keys: arrows move, + and − zoom, 0 resets. Two fingers zoom, one moves." });
  // Also said to who reaches the drawing with the keys.
  hint.id = `keys-${plot.figure.dataset.source}`;
  plot.box.setAttribute("aria-describedby", `${plot.box.getAttribute("aria-describedby") ?? ""} ${hint.id}`.trim());
  tools.append(toggle("y"), toggle("x"), zoom("+", "Zoom in", 1.4), zoom("−", "Zoom out", 1 / 1.4), plot.resetButton, hint);
};
