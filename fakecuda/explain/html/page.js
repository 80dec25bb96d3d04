// Keys of every page: "/" goes to the search, j and k to the next and the previous item that is shown.
(() => {
  const items = () => [...document.querySelectorAll("[data-item]")].filter((one) => !one.hidden && one.offsetParent !== null);
  const handle = (one) => one.querySelector(":scope > summary") ?? one;
  addEventListener("keydown", (event) => {
    const writes = event.target.matches?.("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById("search");
    if (event.key === "/" && search && !writes) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && search) {
      search.value = "";
      search.dispatchEvent(new Event("input"));
      search.blur();
      document.dispatchEvent(new Event("reset-filters"));
    } else if ((event.key === "j" || event.key === "k") && !writes) {
      const shown = items();
      const now = shown.findIndex((one) => one.contains(document.activeElement));
      const next = now < 0 ? (event.key === "j" ? 0 : shown.length - 1) : now + (event.key === "j" ? 1 : -1);
      if (shown[next]) {
        handle(shown[next]).focus();
        shown[next].scrollIntoView({ block: "nearest" });
      }
    }
  });
})();
