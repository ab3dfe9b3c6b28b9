// Where it is, and which variable holds the key for it.

export const OPENAI_ACCOUNT = { name: 'openai', keyVariable: 'OPENAI_API_KEY', ownEndpoint: 'https://api.openai.com/v1' } as const
