// Before anything is painted: the colours that were chosen here, if any.
try {
  const theme = localStorage.getItem("coop.theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows the colours of the system.
}
