// What servers of ours on HTTP share: who may come in, and how a body is read.

export { type BodyLimits, openBodies, type ReadBody } from './body.js'
export { allowOrigin, type CorsNames } from './cors.js'
export { FOREIGN_PAGE, type OriginPolicy, whyForeign } from './origin.js'
export { bearerOf, hasToken, isSameDigest, readToken } from './token.js'
