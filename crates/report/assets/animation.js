// Animations: their data, and how they run.

const animations = [];
const MISSING = 65535;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const makeAnimation = (figure) => {
  const data = dataOf(figure);
  const dimensions = data.space ? 3 : 2;
  const codes = codesOf(data.positions);
  const headings = codesOf(data.headings);
  const times = columnOf(data.times);
  const size = data.low.map((low, k) => (data.high[k] > low ? data.high[k] - low : 1) / (MISSING - 1));
  const animation = {
    figure, data, times,
    canvas: figure.querySelector("canvas"),
    position: 0, playing: false, visible: false, speed: 1, last: 0,
    turn: { azimuth: -0.9, elevation: 0.35 },
    // Position of a body, or null.
    place: (frame, body) => {
      const at = (frame * data.bodies + body) * dimensions;
      if (codes[at] === MISSING) return null;
      return [0, 1, 2].map((k) => (k < dimensions ? data.low[k] + codes[at + k] * size[k] : 0));
    },
    heading: (frame, vehicle) => {
      const code = headings[frame * data.vehicles.length + vehicle];
      return code === MISSING ? null : (code / (MISSING - 1)) * 2 * Math.PI;
    },
  };
  animation.box = boxOf(animation);
  figure.classList.toggle("space", data.space);
  makePlayer(animation);
  turnable(animation);
  new ResizeObserver(() => { if (!printing) draw(animation); }).observe(animation.canvas.parentElement);
  new IntersectionObserver(([entry]) => { animation.visible = entry.isIntersecting; schedule(animation); }).observe(figure);
  animations.push(animation);
  draw(animation);
  if (data.frames > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) play(animation, true);
};

// What is in view: what the report says, or wherever bodies, fixed ends and vehicles are.
const boxOf = ({ data }) => {
  if (data.view) return { low: data.view[0], high: data.view[1] };
  const [low, high] = [[...data.low], [...data.high]];
  for (const end of data.rods.flat()) {
    if (!Array.isArray(end) || end.some((v) => v === null)) continue;
    end.forEach((v, k) => { low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); });
  }
  const reach = Math.max(0, ...data.vehicles.map((v) => Math.max(v[1], v[2]) / 2 || 0));
  const margin = reach + 0.06 * Math.max(...low.map((l, k) => high[k] - l)) || 1;
  const used = data.space ? 3 : 2;
  return { low: low.map((v, k) => (k < used ? v - margin : 0)), high: high.map((v, k) => (k < used ? v + margin : 0)) };
};

// On paper nothing moves: a few frames from the first to the last stand side by side.
const STILLS = 4;
const makeStills = (animation) => {
  const { position, data, canvas, times } = animation;
  const count = Math.min(STILLS, data.frames);
  if (count < 2) return;
  const box = element("div", { className: "stills" });
  for (let k = 0; k < count; k++) {
    const frame = Math.round((k * (data.frames - 1)) / (count - 1));
    animation.position = frame;
    draw(animation);
    const copy = element("canvas", { width: canvas.width, height: canvas.height });
    copy.getContext("2d").drawImage(canvas, 0, 0);
    box.append(element("div", {}, copy, element("p", { className: "note", textContent: `time ${written(times[frame], 4)}` })));
  }
  animation.position = position;
  draw(animation);
  animation.stills?.remove();
  animation.stills = box;
  canvas.parentElement.after(box);
};

const jump = (animation, position) => {
  animation.position = Math.max(0, Math.min(animation.data.frames - 1, position));
  draw(animation);
  animation.update();
};

const play = (animation, playing) => {
  animation.playing = playing && animation.data.frames > 1;
  animation.last = 0;
  animation.update();
  schedule(animation);
};

// One pending callback at most, and none while the animation is paused or out of sight.
const schedule = (animation) => {
  if (animation.pending || !animation.playing || !animation.visible) return;
  animation.pending = requestAnimationFrame((now) => {
    animation.pending = 0;
    if (!animation.playing || !animation.visible) { animation.last = 0; return; }
    const before = frameOf(animation);
    if (animation.last) animation.position += Math.min(0.25, (now - animation.last) / 1000) * animation.data.rate * animation.speed;
    animation.last = now;
    if (animation.position >= animation.data.frames) animation.position = 0;
    if (frameOf(animation) !== before) { draw(animation); animation.update(); }
    schedule(animation);
  });
};
