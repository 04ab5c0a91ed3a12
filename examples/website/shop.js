// What a shop does with the browser library.

const log = document.querySelector("#log");

/** @param {string} text */
function show(text) {
  log.textContent = `${new Date().toLocaleTimeString()} ${text}\n${log.textContent}`;
}

function start(client) {
  client.ready((_client, me) => show(me ? `You are signed in as ${me.email}.` : "You are an anonymous visitor."));
  client.on("svc.track", (properties) => show(`The server has the event with ${JSON.stringify(properties)}.`));
  client.on("svc.traits", (attributes) => show(`The server has the attributes ${JSON.stringify(attributes)}.`));

  /** @param {string} event @param {object} properties */
  const track = (event, properties) =>
    client.track(event, properties).catch((error) => show(`"${event}" is not recorded: ${error.message}`));

  track("Page viewed", { title: document.title });

  for (const button of document.querySelectorAll("button[data-tea]")) {
    button.addEventListener("click", () => {
      track("Added to cart", { tea: button.dataset.tea, price: Number(button.dataset.price) });
      client.traits({ favourite_tea: button.dataset.tea, cart_items: { operation: "inc", value: 1 } });
    });
  }

  const form = document.querySelector("form");
  client.trackForm(form, "Subscribed to newsletter", () => ({ list: "weekly" }));
  form.addEventListener("submit", (event) => {
    // A real shop sends the form to its own server.
    event.preventDefault();
    client.traits({ email: form.elements.email.value });
    form.reset();
  });

  document.querySelector("#opt-out").addEventListener("click", () => {
    client.optOut();
    show("You are not recorded any more.");
  });
  document.querySelector("#opt-in").addEventListener("click", () => {
    client.optIn();
    show("You are recorded.");
  });
}

// The library is loaded beside the page: it may be there already. If not, it calls the function when it is.
if (window.Svc) start(window.Svc);
else window.svcAsyncInit = start;
