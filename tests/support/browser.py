"""The parts of a browser that the scripts of the pages require, for running them in Node."""

ELEMENTS = """
class Element {
  constructor(tag) { this.tag = tag; this.parts = []; this.value = ""; }
  append(...parts) { this.parts.push(...parts); }
  replaceChildren(...parts) { this.parts = parts; }
  setAttribute(name, value) { this[name] = value; }
  get valueAsNumber() { return Number(this.value); }
  get text() { return this.textContent ?? this.parts.map((part) => part.text ?? part).join(""); }
  find(tag) {
    const below = this.parts.flatMap((part) => part.find?.(tag) ?? []);
    return this.tag === tag ? [this, ...below] : below;
  }
}
const known = {};
globalThis.document = {
  createElement: (tag) => new Element(tag),
  createElementNS: (space, tag) => new Element(tag),
  getElementById: (id) => (known[id] ??= new Element(id)),
};
"""
