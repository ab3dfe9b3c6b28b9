// In bundles, for undici: node:assert, loaded where an assertion fails (4 ms of processor time).
'use strict'

module.exports = (value, message) => {
  if (!value) require('node:assert')(value, message)
}
