// What plumb types writes, without what writes it: help and completion ask for these too.

export const LANGUAGES = ['typescript', 'python', 'json-schema'] as const

export type Language = (typeof LANGUAGES)[number]
