// Messages in one process. main-input reads a line and sends it down a channel; a morphism takes it and sends on what comes of it;
// main-output writes it. The origin of a message is the input that it comes of: settling counts what is left of each. schedule gives every
// source its turn, and backpressure holds them back.

export { deferred } from './deferred.js'
export type { MappedTool } from './morphism/calls.js'
