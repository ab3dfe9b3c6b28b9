// Levels of logging, as in syslog, and which messages are sent.

import { scrub } from '@plumb/wire'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type Level = (typeof LEVELS)[number]

/** Undefined: not a level. */
export const levelOf = (text: unknown): Level | undefined => LEVELS.find((level) => level === text)

export const passes = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least)

/** A notification of the protocol. */
export const logMessage = (level: Level, data: unknown) => ({
  method: 'notifications/message',
  params: { level, logger: 'plumb-mcp', data: JSON.parse(scrub(JSON.stringify(data))) },
})
