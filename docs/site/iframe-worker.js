// Makes search work on pages that are opened from the file system. Browsers do not start workers
// there, so the script of the worker runs in a hidden frame.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);

      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inner.document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      script.onload = () => {
        this.waiting.forEach((data) => this.send(data));
        this.waiting = null;
      };
      script.onerror = () => this.dispatchEvent(new Event("error"));
      inner.document.body.append(script);
    }

    send(data) {
      const inner = this.frame.contentWindow;
      inner.dispatchEvent(new inner.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.send(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
