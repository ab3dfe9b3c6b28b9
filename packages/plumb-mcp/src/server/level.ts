// Levels of logging, as syslog has them.

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type Level = (typeof LEVELS)[number]

/** Undefined: it is none. */
export const levelOf = (text: unknown): Level | undefined => LEVELS.find((level) => level === text)

export const passes = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least)
