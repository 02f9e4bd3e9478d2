// Two things every component needs of the page.

// A new element at the end of `parent`.
export function element(parent, name, className = "", text = "") {
  const made = parent.appendChild(document.createElement(name));
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

// Adds a stylesheet to the page once; resolves when it is there.
export function stylesheet(url) {
  const known = document.querySelector(`link[href="${url}"]`);
  if (known) return known.loaded;
  const link = document.createElement("link");
  link.loaded = new Promise((resolve) => link.addEventListener("load", resolve));
  Object.assign(link, { rel: "stylesheet", href: url });
  document.head.append(link);
  return link.loaded;
}
