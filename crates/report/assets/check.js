// A check of the page by itself: `cotangentCheck()` in the console, or `#check` in the address.

const inkOf = (name) => {
  const probe = element("canvas", { width: 1, height: 1 }).getContext("2d");
  probe.fillStyle = colour(name);
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data];
};

// How many pixels of the canvas have this colour, nearly.
const pixelsOf = (canvas, ink) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    if (data[k + 3] > 200 && [0, 1, 2].every((c) => Math.abs(data[k + c] - ink[c]) < 75)) count++;
  }
  return count;
};

const pixelSum = (canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (let k = 0; k < data.length; k++) sum = (sum * 31 + data[k]) % 1000000007;
  return sum;
};

const checkPlot = (plot) => ({
  title: plot.data.title,
  series: plot.series.map((s) => ({ name: s.name, points: s.x.length, pixels: pixelsOf(plot.u.ctx.canvas, inkOf(s.ink)) })),
  labels: [plot.ticks.x.labels, plot.ticks.y.labels],
  view: plot.view,
  area: [plot.u.bbox.width, plot.u.bbox.height],
  legend: plot.figure.querySelector(".legend").textContent,
  note: plot.figure.querySelector(".live").textContent,
});

const checkAnimation = (animation) => {
  const { position, data } = animation;
  const at = (part) => { jump(animation, Math.floor(part * (data.frames - 1))); return pixelSum(animation.canvas); };
  const moved = at(0) !== at(0.5);
  jump(animation, position);
  return { title: data.title, frames: data.frames, moved, playing: animation.playing, position };
};

window.cotangentCheck = () => ({
  plots: plots.map(checkPlot),
  animations: animations.map(checkAnimation),
  failures: [...failures],
});

if (location.hash === "#check") {
  // After the first pictures.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.getElementById("self-check").textContent = JSON.stringify(window.cotangentCheck());
  }));
}
