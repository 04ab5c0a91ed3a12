#!/usr/bin/env node
// Kept apart from the build, so that npm can link it before anything is built.
import "../dist/main.js";
