// For screen readers and keyboards: names for the theme's two sidebars, and a stop of the keyboard at what scrolls.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "all pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "this page");
  for (const table of document.querySelectorAll(".table-wrapper")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  }
});
