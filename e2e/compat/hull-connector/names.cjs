// Stands in for DNS: every name below hull.test is this machine. Loaded before the connector.
const dns = require("node:dns");

const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(/(^|\.)hull\.test$/.test(name) ? "127.0.0.1" : name, ...rest);
