// What our programs on HTTP share: who may come in, how a body is read, and which header names what a request of MCP is about.

export { type BodyLimits, openBodies, type ReadBody } from './body.js'
export { allowOrigin, type CorsNames } from './cors.js'
export { MCP_NAME_FIELDS } from './mcp-name.js'
export { FOREIGN_PAGE, type OriginPolicy, whyForeign } from './origin.js'
export { bearerOf, hasToken, isSameDigest, readToken } from './token.js'
