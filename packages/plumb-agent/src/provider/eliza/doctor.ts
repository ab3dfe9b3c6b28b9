// The DOCTOR script of January 1966, embedded. It stands on the way to the first reply, so the build has read it, and checked it.
import packed from './doctor.script?packed'
import { unpackScript } from './packed-script.js'
import type { Script } from './rule.js'

export const loadDoctor = (): Script => unpackScript(packed)
