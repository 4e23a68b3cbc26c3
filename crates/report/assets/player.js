// The controls of an animation: buttons, keys, and turning the view.

const makePlayer = (animation) => {
  const { figure, data } = animation;
  const player = figure.querySelector(".player");
  const button = element("button", { type: "button", textContent: "Play" });
  const scrubber = element("input", { type: "range", min: 0, max: Math.max(0, data.frames - 1), step: 1, value: 0 });
  scrubber.setAttribute("aria-label", "Time");
  const time = element("output", {});
  const speed = element("select", {}, ...SPEEDS.map((s) => element("option", { value: s, textContent: `${s}×`, selected: s === 1 })));
  speed.setAttribute("aria-label", "Speed");
  animation.update = () => {
    const said = data.frames ? `time ${written(animation.times[frameOf(animation)], 4)}` : "no frames";
    button.textContent = animation.playing ? "Pause" : "Play";
    scrubber.value = frameOf(animation);
    scrubber.setAttribute("aria-valuetext", said);
    time.textContent = said;
  };
  button.addEventListener("click", () => play(animation, !animation.playing));
  scrubber.addEventListener("input", () => {
    // Before the pause sets the scrubber to where the animation is.
    const wanted = Number(scrubber.value);
    play(animation, false);
    jump(animation, wanted);
  });
  speed.addEventListener("change", () => { animation.speed = Number(speed.value); });
  animation.canvas.parentElement.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (n) => { play(animation, false); jump(animation, frameOf(animation) + n); };
    const many = Math.max(1, Math.round(data.frames / 20));
    const action = {
      " ": () => play(animation, !animation.playing),
      ArrowLeft: () => step(event.shiftKey ? -many : -1), ArrowRight: () => step(event.shiftKey ? many : 1),
      Home: () => step(-data.frames), End: () => step(data.frames),
      ...(data.space ? { ArrowUp: () => rotate(animation, 0, 12), ArrowDown: () => rotate(animation, 0, -12), a: () => rotate(animation, -12, 0), d: () => rotate(animation, 12, 0) } : {}),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  player.append(button, scrubber, time, speed);
  animation.update();
};

const rotate = (animation, dx, dy) => {
  animation.turn.azimuth -= dx * 0.01;
  animation.turn.elevation = Math.max(-1.57, Math.min(1.57, animation.turn.elevation + dy * 0.01));
  draw(animation);
};

const turnable = (animation) => {
  if (!animation.data.space) return;
  const { canvas } = animation;
  const start = { ...animation.turn };
  canvas.style.touchAction = "none";
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    animation.grip = [event.clientX, event.clientY];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!animation.grip) return;
    rotate(animation, event.clientX - animation.grip[0], event.clientY - animation.grip[1]);
    animation.grip = [event.clientX, event.clientY];
  });
  const release = () => { animation.grip = null; };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", () => { animation.turn = { ...start }; draw(animation); });
};
