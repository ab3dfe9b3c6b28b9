// Where it is, and which variable holds the key for it.

export const ANTHROPIC_ACCOUNT = { name: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY', ownEndpoint: 'https://api.anthropic.com' } as const
