export type { MuxEnding, MuxOptions, MuxSession } from './session.js'
export { Tee } from './tee.js'
export { type UnwrapOptions, unwrap } from './unwrap.js'
export { type WrapOptions, wrap } from './wrap.js'
