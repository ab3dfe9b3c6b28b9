// ELIZA's settings: one model, and the script of 1966 unless the spec names another.

import { besideSpec, type Fault, fault, preview, type Result, succeed } from '@plumb/wire'
import type { PreparedProvider, ProviderSettings } from '../settings.js'
import doctor from './doctor.script'
import { openEliza } from './provider.js'
import { loadScript } from './script.js'

export const prepareEliza = (settings: ProviderSettings): PreparedProvider => {
  const { model } = settings
  const faults: Fault[] = []
  if (model !== undefined && model !== 'doctor')
    faults.push(fault('config_invalid', `provider 'eliza' has only the model 'doctor', not '${preview(model)}'`))
  const text = readScript(settings)
  const script = text.ok ? loadScript(text.value ?? doctor, String(settings.config.script)) : text
  if (!script.ok) faults.push(script.error)
  if (!script.ok || !text.ok || faults.length > 0) return { ok: false, error: faults }
  return { ok: true, value: { ...openEliza(script.value), settings: { script: text.value } } }
}

/** Undefined: the spec names none. */
const readScript = ({ config: { script }, specPath, readText }: ProviderSettings): Result<string | undefined> => {
  if (typeof script !== 'string') return succeed(undefined)
  const read = readText(besideSpec(script, specPath))
  return read.ok ? read : { ok: false, error: fault('file_not_found', `'script' names '${preview(script)}': ${read.error.detail}`) }
}
