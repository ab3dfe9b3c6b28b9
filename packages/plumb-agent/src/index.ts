// For programs that embed the rooms of an agent; the executable is main.ts.

export { type ReadAnswer, readAnswer } from './answer/read.js'
export { loadDoctor } from './provider/eliza/doctor.js'
export { fit } from './provider/eliza/fit.js'
export { loadScript } from './provider/eliza/script.js'
export { ElizaSession } from './provider/eliza/session.js'
