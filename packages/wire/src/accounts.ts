// The known model servers by name: where each is, which API it speaks, and which variable holds its key.

export interface Account {
  readonly name: string
  /** Its API: Anthropic's Messages, or OpenAI's and compatible ones. */
  readonly speaks: 'anthropic' | 'openai'
  /** As its SDK expects it: OpenAI's with the version, Anthropic's without. */
  readonly endpoint: string
  /** The environment variable that holds the key. Undefined: a server on this machine, which needs none. */
  readonly keyVariable: string | undefined
}

const compatible = (name: string, endpoint: string, keyVariable?: string): Account => ({ name, speaks: 'openai', endpoint, keyVariable })

/** The two providers, then the presets: servers that speak OpenAI's Chat Completions. */
export const ACCOUNTS: readonly Account[] = [
  { name: 'anthropic', speaks: 'anthropic', endpoint: 'https://api.anthropic.com', keyVariable: 'ANTHROPIC_API_KEY' },
  { name: 'openai', speaks: 'openai', endpoint: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  compatible('ollama', 'http://127.0.0.1:11434/v1'),
  compatible('lmstudio', 'http://127.0.0.1:1234/v1'),
  compatible('llamacpp', 'http://127.0.0.1:8080/v1'),
  compatible('vllm', 'http://127.0.0.1:8000/v1'),
  compatible('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  compatible('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  compatible('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  compatible('deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  compatible('xai', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  compatible('gemini', 'https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'),
  compatible('together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  compatible('fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
]

/** Valid values of `provider`: the providers, ELIZA, which needs no account, and the presets. */
export const PROVIDER_NAMES: readonly string[] = ['anthropic', 'openai', 'eliza', ...ACCOUNTS.slice(2).map(({ name }) => name)]

/** Variables whose values pay for models: only our own executables get them. */
export const KEY_VARIABLES: readonly string[] = ACCOUNTS.flatMap(({ keyVariable }) => keyVariable ?? [])

/** How requests are sent: one by one, or in batches. */
export type ProviderLane = 'now' | 'batch'
