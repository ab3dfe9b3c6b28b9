// The names that the conventions have for providers.

const NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

export const providerName = (provider: string | undefined): string =>
  provider === undefined ? '_OTHER' : Object.hasOwn(NAMES, provider) ? (NAMES[provider] as string) : provider
