// Filters the tests by outcome, by what they have besides, and by words.
(() => {
  const tests = [...document.querySelectorAll(".test")];
  const chips = [...document.querySelectorAll("[data-filter]")];
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const texts = new Map();
  const pressed = (kind) => chips.filter((one) => one.dataset.filter === kind && one.getAttribute("aria-pressed") === "true");
  const press = (chip, on) => chip.setAttribute("aria-pressed", String(on));

  function text(test) {
    if (!texts.has(test)) texts.set(test, test.textContent.toLowerCase());
    return texts.get(test);
  }

  function show() {
    const outcome = pressed("outcome")[0]?.dataset.value ?? "*";
    const tags = pressed("tag").map((one) => one.dataset.value);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const test of tests) {
      const has = test.dataset.tags?.split(" ") ?? [];
      const fits = (outcome === "*" || test.dataset.outcome === outcome)
        && tags.every((one) => has.includes(one))
        && words.every((one) => text(test).includes(one));
      test.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === tests.length ? "" : `${shown} of ${tests.length} shown`;
    document.getElementById("none").hidden = shown > 0 || tests.length === 0;
  }

  for (const chip of chips) {
    chip.addEventListener("click", () => {
      if (chip.dataset.filter === "tag") press(chip, chip.getAttribute("aria-pressed") !== "true");
      else for (const one of chips) if (one.dataset.filter === "outcome") press(one, one === chip);
      show();
    });
  }
  document.addEventListener("reset-filters", () => {
    for (const chip of chips) press(chip, chip.dataset.value === "*");
    show();
  });
  search.addEventListener("input", show);
  for (const story of document.querySelectorAll(".story")) {
    story.scrollTop = story.scrollHeight;
    story.closest("details")?.addEventListener("toggle", () => { story.scrollTop = story.scrollHeight; });
  }
})();
