// The page: theme, printing, and the start of everything.

let printing = false;
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;

const redraw = () => {
  plots.forEach((plot) => plot.u.redraw(false));
  animations.forEach(draw);
};

const paint = () => {
  const theme = printing ? "light" : chosen ?? (dark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = theme === "dark" ? "Light theme" : "Dark theme";
  redraw();
};

const themeButton = element("button", { type: "button" });
themeButton.addEventListener("click", () => {
  chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  paint();
});
dark.addEventListener("change", paint);
document.getElementById("page-tools").append(themeButton);

// Paper is light, and pictures keep the size they have.
addEventListener("beforeprint", () => { printing = true; paint(); animations.forEach(makeStills); });
addEventListener("afterprint", () => { printing = false; animations.forEach((a) => a.stills?.remove()); paint(); });

document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
for (const figure of document.querySelectorAll("figure.plot")) attempt(() => makePlot(figure));
for (const figure of document.querySelectorAll("figure.animation")) attempt(() => makeAnimation(figure));
paint();

function attempt(make) {
  // One figure that fails does not take the others with it.
  try { make(); } catch (error) { failures.push(String(error)); console.error(error); }
}
