// The exports for programs that embed the server.

export type { Limits, ServeOptions } from './options.js'
export { type Served, serve } from './serve.js'
