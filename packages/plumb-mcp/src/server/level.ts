// Levels of logging, as syslog has them, and what is sent of the log.

import { scrub } from '@plumb/wire'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type Level = (typeof LEVELS)[number]

/** Undefined: it is none. */
export const levelOf = (text: unknown): Level | undefined => LEVELS.find((level) => level === text)

export const passes = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least)

/** A notification of the protocol. */
export const logMessage = (level: Level, data: unknown) => ({
  method: 'notifications/message',
  params: { level, logger: 'plumb-mcp', data: JSON.parse(scrub(JSON.stringify(data))) },
})
