// Bodies, rods, vehicles and paths on the canvas of an animation.

const frameOf = (animation) => Math.max(0, Math.min(animation.data.frames - 1, Math.floor(animation.position)));

const draw = (animation) => {
  const { canvas, data, box } = animation;
  const ratio = devicePixelRatio || 1;
  const width = canvas.parentElement.clientWidth || 600;
  const shape = data.space ? 0.65 : (box.high[1] - box.low[1]) / (box.high[0] - box.low[0]) || 0.6;
  const height = Math.round(Math.max(260, Math.min(560, (width - 80) * shape + 60)));
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = colour("--paper");
  ctx.fillRect(0, 0, width, height);
  ctx.lineJoin = ctx.lineCap = "round";
  const project = data.space ? spaceView(animation, width, height) : planeView(animation, width, height);
  ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  if (data.space) drawBox(animation, ctx, project);
  else drawFrame(animation, ctx, project);
  ctx.save();
  if (project.inner) {
    // Large points end at the frame.
    const { left, top, width: across, height: down } = project.inner;
    ctx.beginPath();
    ctx.rect(left, top, across, down);
    ctx.clip();
  }
  if (data.frames > 0) drawBodies(animation, ctx, project, frameOf(animation));
  ctx.restore();
};

// Both views have one unit for all axes.
const planeView = ({ box }, width, height) => {
  const inner = { left: 56, top: 14, width: width - 72, height: height - 50 };
  const unit = Math.min(inner.width / (box.high[0] - box.low[0]), inner.height / (box.high[1] - box.low[1]));
  const [mx, my] = [(box.low[0] + box.high[0]) / 2, (box.low[1] + box.high[1]) / 2];
  const [cx, cy] = [inner.left + inner.width / 2, inner.top + inner.height / 2];
  const project = ([x, y]) => [cx + (x - mx) * unit, cy - (y - my) * unit];
  return Object.assign(project, { unit, inner, mx, my });
};

const spaceView = ({ box, turn }, width, height) => {
  const middle = box.low.map((low, k) => (low + box.high[k]) / 2);
  const radius = Math.hypot(...box.low.map((low, k) => box.high[k] - low)) / 2 || 1;
  const unit = (Math.min(width, height) / 2 - 4) / radius;
  const [ca, sa, ce, se] = [Math.cos(turn.azimuth), Math.sin(turn.azimuth), Math.cos(turn.elevation), Math.sin(turn.elevation)];
  const project = (p) => {
    const [x, y, z] = p.map((v, k) => v - middle[k]);
    const across = ca * x + -sa * y;
    const depth = sa * x + ca * y;
    return [width / 2 + across * unit, height / 2 - (ce * z + se * depth) * unit];
  };
  return Object.assign(project, { unit });
};

const drawFrame = (animation, ctx, project) => {
  const { inner, unit, mx, my } = project;
  const [right, bottom] = [inner.left + inner.width, inner.top + inner.height];
  const ends = (middle, size) => [middle - size / unit / 2, middle + size / unit / 2];
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  for (const axis of [0, 1]) {
    const [low, high] = axis === 0 ? ends(mx, inner.width) : ends(my, inner.height);
    const { ticks, step } = linearTicks(low, high, (axis === 0 ? inner.width : inner.height) / 80);
    linearLabels(ticks, step).forEach((label, k) => {
      const [px, py] = project(axis === 0 ? [ticks[k], my] : [mx, ticks[k]]);
      ctx.strokeStyle = colour("--grid");
      ctx.beginPath();
      if (axis === 0) { ctx.moveTo(px, inner.top); ctx.lineTo(px, bottom); }
      else { ctx.moveTo(inner.left, py); ctx.lineTo(right, py); }
      ctx.stroke();
      ctx.fillStyle = colour("--soft");
      ctx.textAlign = axis === 0 ? "center" : "right";
      if (axis === 0) ctx.fillText(label, px, bottom + 14);
      else ctx.fillText(label, inner.left - 8, py);
    });
  }
  ctx.strokeStyle = colour("--strong");
  ctx.strokeRect(inner.left, inner.top, inner.width, inner.height);
};

const drawBox = ({ box }, ctx, project) => {
  const corner = (bits) => box.low.map((low, k) => (bits & (1 << k) ? box.high[k] : low));
  ctx.strokeStyle = colour("--line");
  ctx.lineWidth = 1;
  for (let bits = 0; bits < 8; bits++) {
    for (let k = 0; k < 3; k++) {
      if (bits & (1 << k)) continue;
      ctx.beginPath();
      ctx.moveTo(...project(corner(bits)));
      ctx.lineTo(...project(corner(bits | (1 << k))));
      ctx.stroke();
    }
  }
  ctx.fillStyle = colour("--soft");
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ["x", "y", "z"].forEach((name, k) => {
    const middle = [...box.low];
    middle[k] = (box.low[k] + box.high[k]) / 2;
    const [from, to] = [project(box.low), project(corner(1 << k))];
    const [px, py] = project(middle);
    const label = `${name}: ${written(box.low[k], 3)} … ${written(box.high[k], 3)}`;
    // Beside its edge, on paper of its own.
    const shift = Math.abs(to[0] - from[0]) < 40 ? [-58, 0] : [0, 15];
    ctx.lineWidth = 5;
    ctx.strokeStyle = colour("--paper");
    ctx.strokeText(label, px + shift[0], py + shift[1]);
    ctx.fillText(label, px + shift[0], py + shift[1]);
  });
};

// The colour and the size of the k-th of a kind.
const lookOf = ({ looks }, kind, k, usual) => {
  const [name, size] = (looks && looks[kind][k]) || [null, 1];
  return { ink: colour(name ? `--c-${name}` : usual), size };
};

const drawBodies = (animation, ctx, project, frame) => {
  const { data, place } = animation;
  const end = (e) => (Array.isArray(e) ? (e.every((v) => v !== null) ? e : null) : place(frame, e));
  drawTrails(animation, ctx, project, frame);
  const fixed = [];
  const alike = data.looks.rods.length === 0;
  if (alike) ctx.beginPath();
  data.rods.forEach(([a, b], k) => {
    const [from, to] = [end(a), end(b)];
    if (!from || !to) return;
    if (!alike) ctx.beginPath();
    ctx.moveTo(...project(from));
    ctx.lineTo(...project(to));
    if (!alike) strokeRod(ctx, lookOf(data, "rods", k, "--rod"));
    for (const e of [a, b]) if (Array.isArray(e)) fixed.push(project(e));
  });
  if (alike) strokeRod(ctx, lookOf(data, "rods", 0, "--rod"));
  ctx.fillStyle = colour("--ink");
  for (const [px, py] of fixed) ctx.fillRect(px - 4, py - 4, 8, 8);
  data.vehicles.forEach((vehicle, k) => drawVehicle(animation, ctx, project, frame, vehicle, k));
  const radius = data.discs.length > 150 ? 2 : data.discs.length > 30 ? 3.2 : 5;
  ctx.strokeStyle = colour("--paper");
  ctx.lineWidth = 1;
  data.discs.forEach((body, k) => {
    const at = place(frame, body);
    if (!at) return;
    const { ink, size } = lookOf(data, "discs", k, "--disc");
    ctx.fillStyle = ink;
    ctx.beginPath();
    ctx.arc(...project(at), radius * size, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  });
};

const strokeRod = (ctx, { ink, size }) => {
  ctx.strokeStyle = ink;
  ctx.lineWidth = 2.2 * size;
  ctx.stroke();
};

const drawTrails = ({ data, place }, ctx, project, frame) => {
  const length = Math.round(data.trail * data.frames);
  // Fewer points only if there are very many: with long chords a path would be another.
  const stride = Math.max(1, Math.floor((length * data.trails.length) / 6000));
  data.trails.forEach((body, k) => {
    const { ink, size } = lookOf(data, "trails", k, `--s${(k + 1) % 8}`);
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1.8 * size;
    let before = null;
    for (let f = Math.max(0, frame - length); f <= frame; f = f < frame ? Math.min(frame, f + stride) : frame + 1) {
      const at = place(f, body);
      const here = at && project(at);
      if (here && before) {
        ctx.globalAlpha = 0.08 + 0.82 * (1 - (frame - f) / Math.max(1, length));
        ctx.beginPath();
        ctx.moveTo(...before);
        ctx.lineTo(...here);
        ctx.stroke();
      }
      before = here;
    }
    ctx.globalAlpha = 1;
  });
};

const drawVehicle = (animation, ctx, project, frame, [body, length, width], k) => {
  const at = animation.place(frame, body);
  const heading = animation.heading(frame, k);
  if (!at || heading === null) return;
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  const corner = (along, across) => project([at[0] + c * along * length - s * across * width, at[1] + s * along * length + c * across * width, at[2]]);
  ctx.fillStyle = colour("--raised");
  ctx.strokeStyle = lookOf(animation.data, "vehicles", k, `--s${k % 8}`).ink;
  ctx.lineWidth = 2;
  ctx.beginPath();
  [[-0.5, -0.5], [0.3, -0.5], [0.5, 0], [0.3, 0.5], [-0.5, 0.5]].forEach(([u, v], i) => (i ? ctx.lineTo(...corner(u, v)) : ctx.moveTo(...corner(u, v))));
  ctx.closePath();
  ctx.fill();
  ctx.stroke();
};
