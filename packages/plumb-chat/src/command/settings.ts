// /pause, /resume, /temp, /model, /effort.

import { fault } from '@plumb/wire'
import type { Command } from './context.js'

export const pause: Command = {
  name: 'pause',
  does: 'hold what is said from now on',
  run: async (_argument, { request, setPaused, screen }) => {
    const reply = await request({ pause: true }, 'paused')
    if (!reply.ok) return reply.error
    setPaused(true)
    screen.notice('paused: what is said waits for /resume')
    return undefined
  },
}

export const resume: Command = {
  name: 'resume',
  does: 'answer what was held',
  run: async (_argument, { request, setPaused }) => {
    const reply = await request({ resume: true }, 'resumed')
    if (!reply.ok) return reply.error
    setPaused(false)
    return undefined
  },
}

export const temp: Command = {
  name: 'temp',
  argument: '[NUMBER]',
  does: "temperature from 0 to 2; without a number the spec's",
  run: async (argument, { control, screen }) => {
    if (argument !== '' && !/^-?\d+(\.\d+)?$/.test(argument)) return fault('usage', TEMPERATURE)
    const failure = await control({ set_temp: argument === '' ? null : Number(argument) })
    if (!failure) screen.notice(argument === '' ? 'temperature as in the spec' : `temperature ${Number(argument)}`)
    return failure
  },
}

const TEMPERATURE = '/temp takes a number from 0 to 2 such as 0.3, or nothing'

export const model: Command = {
  name: 'model',
  argument: '[NAME]',
  does: "model from now on; without a name the spec's",
  run: async (argument, { control, screen }) => {
    const failure = await control({ set_model: argument === '' ? null : argument })
    if (!failure) screen.notice(argument === '' ? 'model as in the spec' : `model ${argument}`)
    return failure
  },
}

export const effort: Command = {
  name: 'effort',
  argument: '[LEVEL]',
  does: "how much it reasons, none to max; without a level the spec's",
  run: async (argument, { control, screen }) => {
    const failure = await control({ set_effort: argument === '' ? null : argument })
    if (!failure) screen.notice(argument === '' ? 'effort as in the spec' : `effort ${argument}`)
    return failure
  },
}
