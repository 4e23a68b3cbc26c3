// Columns of numbers: decoding, and writing numbers for people.

const failures = [];
addEventListener("error", (event) => failures.push(String(event.message)));
addEventListener("unhandledrejection", (event) => failures.push(String(event.reason)));

const bytesOf = (text) => {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
};

// A column as written by column.rs: little-endian deviations of `w` bytes from the offset `o`.
const columnOf = ({ w, o, d }) => {
  const view = new DataView(bytesOf(d).buffer);
  const values = new Float64Array(view.byteLength / w);
  for (let k = 0; k < values.length; k++) {
    values[k] = o + (w === 4 ? view.getFloat32(4 * k, true) : view.getFloat64(8 * k, true));
  }
  return values;
};

const codesOf = (text) => {
  const view = new DataView(bytesOf(text).buffer);
  const codes = new Uint16Array(view.byteLength / 2);
  for (let k = 0; k < codes.length; k++) codes[k] = view.getUint16(2 * k, true);
  return codes;
};

const superscript = (n) => String(n).replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

// x with at most `digits` significant digits: 0.25, 1.5×10⁻⁷, −3.
const written = (x, digits = 6) => {
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const [mantissa, power] = Math.abs(x).toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const sign = x < 0 ? "−" : "";
  const trimmed = (s) => (s.includes(".") ? s.replace(/\.?0+$/, "") : s);
  if (exponent >= -4 && exponent < 6) {
    return sign + trimmed(Math.abs(x).toFixed(Math.min(20, Math.max(0, digits - 1 - exponent))));
  }
  const front = trimmed(mantissa);
  return sign + (front === "1" ? "" : front + "×") + "10" + superscript(exponent);
};

// A round step that divides `span` into about `parts`.
const roundStep = (span, parts) => {
  const rough = span / Math.max(1, parts);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999) ?? 10;
  return factor * power;
};

// Multiples of a round step between the ends.
const linearTicks = (low, high, parts) => {
  const step = roundStep(high - low, parts);
  const ticks = [];
  if (!(step > 0) || !Number.isFinite(step)) return { ticks: [low], step: 1 };
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.length < 200; k++) {
    // Through the decimal, so that 3 × 0.1 is 0.3.
    const power = Math.floor(Math.log10(step) + 1e-9);
    ticks.push(power < 0 ? (k * Math.round(step / 10 ** power)) / 10 ** -power : k * step);
  }
  return { ticks, step };
};

// Labels of such ticks: as many digits as the step needs, one power of ten for all.
const linearLabels = (ticks, step) => {
  const largest = Math.max(...ticks.map(Math.abs), step);
  const top = Math.floor(Math.log10(largest) + 1e-9);
  const bottom = Math.floor(Math.log10(step) + 1e-9);
  if (top - bottom > 15) return ticks.map((t) => written(t, 15));
  if (top >= 6 || top < -3) {
    return ticks.map((t) => {
      if (t === 0) return "0";
      const front = (Math.abs(t) / 10 ** top).toFixed(Math.max(0, top - bottom));
      return (t < 0 ? "−" : "") + (Number(front) === 1 ? "" : front + "×") + "10" + superscript(top);
    });
  }
  return ticks.map((t) => (t === 0 ? "0" : (t < 0 ? "−" : "") + Math.abs(t).toFixed(Math.max(0, -bottom))));
};

// Ticks of a logarithmic axis and their labels: powers of ten, between them 2 and 5 or a round
// step if the axis is short. Ticks without a label are "".
const logTicks = (low, high, parts) => {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  const to = Math.floor(Math.log10(high) + 1e-9);
  const decades = Math.log10(high) - Math.log10(low);
  if (decades < 0.7) {
    const { ticks, step } = linearTicks(low, high, parts);
    return { ticks, labels: linearLabels(ticks, step) };
  }
  const least = (to - from + 1) / Math.max(2, parts);
  const stride = [1, 2, 3, 5, 10, 20, 50, 100].find((s) => s >= least) ?? 200;
  const ticks = [];
  const labels = [];
  for (let p = from - 1; p <= to; p++) {
    for (let f = 1; f < 10; f++) {
      const tick = Number(f + "e" + p);
      if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9)) continue;
      const major = f === 1 && p % stride === 0;
      const between = decades < 2 && (f === 2 || f === 5);
      // Small ticks are the other digits, or the other powers, or too many to be drawn.
      if (!major && !between && (f === 1 ? stride > 5 : stride > 1 || decades > 8)) continue;
      ticks.push(tick);
      labels.push(major || between ? powerLabel(f, p) : "");
    }
  }
  return { ticks, labels };
};

// Ticks of an axis: at least two of them have a label, however short it is.
const ticksOf = (low, high, parts, log) => {
  for (let tried = parts; ; tried++) {
    const { ticks, step } = log ? {} : linearTicks(low, high, tried);
    const found = log ? logTicks(low, high, tried) : { ticks, labels: linearLabels(ticks, step) };
    if (found.labels.filter((label) => label).length > 1 || tried >= parts + 4) return found;
  }
};

const powerLabel = (f, p) =>
  p >= -3 && p <= 3 ? String(Number(f + "e" + p)) : (f === 1 ? "" : f + "×") + "10" + superscript(p);

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const dataOf = (figure) => JSON.parse(document.getElementById(figure.dataset.source).textContent);
