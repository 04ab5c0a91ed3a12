#!/usr/bin/env node
// Not part of the build, so that npm can link it before anything is built.
import "../bundle/main.js";
