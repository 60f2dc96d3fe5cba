// Build the documentation page from the OpenAPI documents of both versions.
"use strict";

const VERSIONS = ["v1.2", "v1.1"];
const WIDTH = 68; // maximum characters per line of JSON in an example
const BOUNDS = { minimum: "≥", maximum: "≤", exclusiveMinimum: ">", exclusiveMaximum: "<" };

function element(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return created;
}

const code = (text) => element("code", {}, text);
const small = (text, className) => element("span", { className }, text);

// Return text in which the parts between backticks are code elements.
const prose = (text) => (text ?? "").split("`").map((part, place) => (place % 2 ? code(part) : part));
const paragraphs = (text) => (text ?? "").split(/\n\s*\n/).filter(Boolean)
  .map((part) => element("p", {}, prose(part)));

function heading(level, id, ...content) {
  const anchor = element("a", { className: "anchor", href: `#${id}`, textContent: "#" });
  anchor.setAttribute("aria-label", "Link to this section");
  return element(`h${level}`, {}, ...content, " ", anchor);
}

const inline = (value) => {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  return `{${Object.entries(value).map(([key, item]) => `"${key}": ${inline(item)}`).join(", ")}}`;
};

// Write JSON with short arrays and objects on one line.
function pretty(value, indent = "") {
  const line = inline(value);
  if (value === null || typeof value !== "object" || line.length + indent.length <= WIDTH) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => inner + pretty(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}"${key}": ${pretty(item, inner)}`);
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

// Return the curl command for an operation, with the example values of its parameters.
function curl(method, path, about) {
  const given = (about.parameters ?? []).filter((parameter) => "example" in parameter);
  const within = (place) => given.filter((parameter) => parameter.in === place);
  let target = path;
  for (const { name, example } of within("path")) {
    target = target.replace(`{${name}}`, encodeURIComponent(example));
  }
  const query = within("query").map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  const url = location.origin + target + (query.length ? `?${query.join("&")}` : "");
  const lines = [`curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $POSTMEAL_KEY"',
    ...within("header").map(({ name, example }) => `-H ${quoted(`${name}: ${example}`)}`)];
  const body = about.requestBody?.content["application/json"];
  if (body) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(pretty(body.example))}`);
  return lines.join(" \\\n  ");
}

function copyable(text) {
  const block = element("pre", { className: "curl", tabIndex: 0 }, text);
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
  const selected = () => {
    getSelection().selectAllChildren(block);
    button.textContent = "Selected";
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text); // only on HTTPS and on localhost
      button.textContent = "Copied";
    } catch {
      selected();
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  return element("div", { className: "copyable" }, block, button);
}

const nameOf = (reference) => reference.split("/").pop();

// Return a short description of what a schema accepts.
function kind(schema, schemas) {
  if (schema.$ref) {
    const target = schemas[nameOf(schema.$ref)];
    return target.properties ? "object" : kind(target, schemas);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((option) => kind(option, schemas)).join(" or ");
  if (schema.type === "array") {
    const items = kind(schema.items ?? {}, schemas);
    return /^\w+$/.test(items) ? `array of ${items}s` : `array of ${items}`;
  }
  return schema.type ?? "any";
}

function bounds(schema) {
  const limits = Object.entries(BOUNDS).filter(([key]) => key in schema)
    .map(([key, sign]) => `${sign} ${schema[key]}`);
  if (schema.maxLength) limits.push(`${schema.minLength ?? 0} to ${schema.maxLength} characters`);
  if (schema.maxItems) limits.push(`${schema.minItems ?? 0} to ${schema.maxItems} items`);
  return limits;
}

const accepted = (schema, schemas) => [kind(schema, schemas), ...bounds(schema)].join(", ");

// Return the object in a schema: the schema itself, its items, or one of several options.
function objectOf(schema, schemas) {
  if (schema.$ref) return objectOf(schemas[nameOf(schema.$ref)], schemas);
  if (schema.items) return objectOf(schema.items, schemas);
  if (schema.properties) return schema;
  return (schema.anyOf ?? []).map((option) => objectOf(option, schemas)).find(Boolean);
}

function field(name, type, required, ...about) {
  return element("li", {}, element("p", {}, code(name), " ", small(type, "type"), " ",
    required ? small("required", "required") : null), ...about);
}

function fields(schema, schemas, isRequest, outer = []) {
  const object = objectOf(schema, schemas);
  if (!object || outer.includes(object)) return null;
  const items = Object.entries(object.properties).map(([name, about]) =>
    field(name, accepted(about, schemas), isRequest && object.required?.includes(name),
      about.description ? element("p", {}, prose(about.description)) : null,
      nested(name, about, schemas, isRequest, [...outer, object])));
  return element("ul", { className: "fields" }, items);
}

function nested(name, schema, schemas, isRequest, outer) {
  const inner = fields(schema, schemas, isRequest, outer);
  return inner && folded(["Fields of ", code(name)], false, inner);
}

function folded(title, open, ...content) {
  return element("details", { open }, element("summary", {}, ...[title].flat()), ...content);
}

// Return a path that may wrap after each slash.
const breakable = (path) => path.split("/").flatMap((part, place) =>
  (place ? ["/", element("wbr"), part] : [part]));

function credentials(about) {
  const [scope] = about.security[0].bearer;
  const token = scope && !about.deprecated ? [" or a client token with the scope ", code(scope)] : [];
  return element("p", { className: "quiet" }, "Requires an API key of this version", ...token, ".");
}

function request(about, schemas) {
  const parts = [];
  if (about.parameters) {
    parts.push(element("h4", {}, "Parameters"), element("ul", { className: "fields" },
      about.parameters.map((each) => field(each.name, `${each.in}, ${accepted(each.schema, schemas)}`,
        each.required, element("p", {}, prose(each.description))))));
  }
  const body = about.requestBody?.content["application/json"];
  if (body) parts.push(folded("Fields of the request body", true, fields(body.schema, schemas, true)));
  return parts;
}

function success(status, response, schemas) {
  const content = response.content?.["application/json"];
  const headers = Object.entries(response.headers ?? {});
  return [element("h4", {}, `Response ${status}`),
    content?.example === undefined ? element("p", {}, "No body.")
      : element("pre", { className: "response", tabIndex: 0 }, pretty(content.example)),
    content ? folded("Fields of the response", false, fields(content.schema, schemas, false)) : null,
    headers.length ? folded("Headers of the response", false, element("ul", { className: "fields" },
      headers.map(([name, about]) => field(name, about.schema.type, false,
        element("p", {}, prose(about.description)),
        about.example ? element("p", {}, "Example: ", code(about.example)) : null)))) : null];
}

function failures(responses, codes) {
  const items = responses.map(([status, response]) => {
    const example = response.content?.["application/json"].example;
    const known = codes.find((each) => each.code === example?.code);
    const name = known ? element("a", { href: `#error-${known.code}` }, code(known.code)) : null;
    return element("li", {}, element("p", {}, element("strong", {}, status), ` ${response.description} `, name),
      example ? element("pre", {}, pretty(example)) : null);
  });
  const statuses = responses.map(([status]) => status).join(", ");
  return folded(`Other responses: ${statuses}`, false, element("ul", { className: "fields" }, items));
}

function operation(method, path, about, document_) {
  const { schemas } = document_.components;
  const responses = Object.entries(about.responses);
  const [[status, response], ...others] = responses;
  const id = about.operationId;
  return element("section", { id, className: "operation" },
    heading(3, id, about.summary),
    element("p", { className: "route" }, small(method.toUpperCase(), `verb ${method}`), " ",
      element("code", {}, ...breakable(path))),
    about.deprecated ? element("p", { className: "old" }, "Deprecated. New clients should use version 1.2.") : null,
    paragraphs(about.description), credentials(about),
    element("h4", {}, "Request"), copyable(curl(method, path, about)),
    request(about, schemas), success(status, response, schemas),
    failures(others, document_["x-error-codes"]));
}

// Group the operations of a document by the first segment of their paths, predictions first.
function groups(document_) {
  const found = new Map([["glucose", []], ["cgm", []]]);
  for (const [path, verbs] of Object.entries(document_.paths)) {
    const name = path.split("/")[2];
    for (const [method, about] of Object.entries(verbs)) {
      found.set(name, [...(found.get(name) ?? []), [method, path, about]]);
    }
  }
  return [...found].filter(([, operations]) => operations.length);
}

const TITLES = { auth: "Client tokens", cgm: "Glucose", search: "Food search", logs: "Food logs" };
const titleOf = (name) => TITLES[name] ?? name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");

function errorCodes(codes) {
  return element("section", { id: "errors" }, heading(2, "errors", "Error codes"),
    element("p", {}, "Version 1.2 returns ", code('{"code", "message"}'), "; version 1.1 returns ",
      code('{"error": {"code", "message", "details"}}'), ", where the code is the HTTP status. Version 1.1",
      " returns 503 in place of 502 and 504. If a field is invalid, the message names it and says what it accepts."),
    element("ul", { className: "fields codes" }, codes.map(({ code: name, status, help }) => {
      const item = element("li", { id: `error-${name}` },
        element("p", {}, code(name), " ", small(String(status), "type")), element("p", {}, prose(help)));
      return item;
    })));
}

const link = (id, text) => element("li", {}, element("a", { href: `#${id}` }, text));

async function show() {
  const documents = await Promise.all(VERSIONS.map(async (version) =>
    (await fetch(`/${version}/openapi.json`)).json()));
  const main = [];
  const contents = [element("ul", {}, link("start", "First request"), link("errors", "Error codes"))];
  documents.forEach((document_, place) => {
    const version = VERSIONS[place];
    const list = [];
    main.push(heading(2, version, `Version ${version.slice(1)}`));
    main.at(-1).id = version;
    for (const [name, operations] of groups(document_)) {
      list.push(element("li", { className: "group" }, titleOf(name)),
        ...operations.map(([, , about]) => link(about.operationId, about.summary)));
      main.push(...operations.map((each) => operation(...each, document_)));
    }
    contents.push(element("details", { open: !place }, element("summary", {},
      `Version ${version.slice(1)}${place ? ", deprecated" : ""}`), element("ul", {}, ...list)));
  });
  const [current] = documents;
  main.push(errorCodes(current["x-error-codes"]));
  document.getElementById("about").append(...prose(current.info.description));
  document.getElementById("operations").replaceChildren(...main);
  const menu = element("details", { open: matchMedia("(min-width: 60rem)").matches },
    element("summary", {}, "Contents"), ...contents);
  document.getElementById("contents").replaceChildren(menu);
  const { hash } = location;
  if (hash) { // Scroll again, because the page was empty before.
    history.replaceState(null, "", location.pathname);
    location.hash = hash;
  }
}

show().catch((error) => {
  document.getElementById("operations").textContent = `The documentation cannot be loaded: ${error.message}. Reload the page to try again.`;
});
