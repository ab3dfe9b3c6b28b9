// The known model servers by name: where each is, which API it speaks, and what its key comes from.

export interface Account {
  readonly name: string
  /** Its API: Anthropic's Messages, or OpenAI's and compatible ones. */
  readonly speaks: 'anthropic' | 'openai'
  /**
   * As its SDK expects it: OpenAI's with the version, Anthropic's without. `{NAME}` stands for an environment variable, `{A|B}` for the first
   * of two that is set.
   */
  readonly endpoint: string
  /** The environment variable that holds the key. Undefined: a server on this machine, which needs none, or `keyCommand`. */
  readonly keyVariable: string | undefined
  /** The header of a key from the variable, in place of `authorization`. */
  readonly keyHeader?: 'api-key'
  /** The command whose output is the key, if no other is named. */
  readonly keyCommand?: readonly string[]
  /** Hosts of its own apart from that of `endpoint`. */
  readonly hosts?: RegExp
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
  { ...compatible('azure', '{AZURE_OPENAI_ENDPOINT}/openai/v1', 'AZURE_OPENAI_API_KEY'), keyHeader: 'api-key' },
  {
    ...compatible('bedrock', 'https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION}.amazonaws.com/openai/v1', 'AWS_BEARER_TOKEN_BEDROCK'),
    hosts: /^bedrock-(runtime(-fips)?\.[a-z0-9-]+\.amazonaws\.com|mantle\.[a-z0-9-]+\.api\.aws)$/,
  },
  {
    ...compatible(
      'vertex',
      'https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/endpoints/openapi',
    ),
    keyCommand: ['gcloud', 'auth', 'print-access-token'],
    hosts: /^(([a-z0-9-]+-)?aiplatform|aiplatform\.(us|eu)\.rep)\.googleapis\.com$/,
  },
]

/** Valid values of `provider`: the providers, ELIZA, which needs no account, and the presets. */
export const PROVIDER_NAMES: readonly string[] = ['anthropic', 'openai', 'eliza', ...ACCOUNTS.slice(2).map(({ name }) => name)]

/** A server on this machine: it needs no key, and nobody is billed. */
export const isOnThisMachine = ({ keyVariable, keyCommand }: Account): boolean => keyVariable === undefined && keyCommand === undefined

/** Variables whose values pay for models: only our own executables get them. */
export const KEY_VARIABLES: readonly string[] = ACCOUNTS.flatMap(({ keyVariable }) => keyVariable ?? [])

/** Each `{…}` of an endpoint, as the names of its variables. */
export const variablesIn = (endpoint: string): readonly (readonly string[])[] =>
  [...endpoint.matchAll(/\{([A-Z_|]+)\}/g)].map(([, names = '']) => names.split('|'))

/** Variables that endpoints are made of. */
export const ENDPOINT_VARIABLES: readonly string[] = [...new Set(ACCOUNTS.flatMap(({ endpoint }) => variablesIn(endpoint).flat()))]

/** What commands for keys read apart from files: which account, and where its files are. None of them is a key. */
export const KEY_COMMAND_VARIABLES: readonly string[] = [
  ...['AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AZURE_CONFIG_DIR', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ...['CLOUDSDK_CONFIG', 'CLOUDSDK_ACTIVE_CONFIG_NAME', 'CLOUDSDK_CORE_ACCOUNT', 'CLOUDSDK_CORE_PROJECT', 'CLOUDSDK_PYTHON'],
  ...['XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'KRB5CCNAME'],
]

/** How requests are sent: one by one, or in batches. */
export type ProviderLane = 'now' | 'batch'
