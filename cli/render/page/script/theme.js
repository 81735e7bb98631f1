// Light or dark: as the system prefers, until it is switched.
const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
function wear(name) {
  document.documentElement.dataset.theme = name;
  theme.textContent = name === "dark" ? "Light" : "Dark";
  theme.title = `Change to the ${name === "dark" ? "light" : "dark"} look`;
}
let chosenTheme = null;
try { chosenTheme = localStorage.getItem("plan-theme"); } catch { /* not allowed here */ }
wear(chosenTheme || (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => { if (!chosenTheme) wear(dark.matches ? "dark" : "light"); });
theme.addEventListener("click", () => {
  chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  wear(chosenTheme);
  try { localStorage.setItem("plan-theme", chosenTheme); } catch { /* it lasts as long as the page */ }
});
