// The DOCTOR script of January 1966, embedded. It stands on the way to the first reply, so it is checked by the tests and not here.
import type { Result } from '@plumb/wire'
import text from './doctor.script'
import type { Script } from './rule.js'
import { loadScript } from './script.js'

export const loadDoctor = (): Result<Script> => loadScript(text, 'doctor.script', { isTrusted: true })
