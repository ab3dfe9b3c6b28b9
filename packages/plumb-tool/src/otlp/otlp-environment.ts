// What the environment says of spans, in few lines: each start asks it.

/** Whether it names a collector: only then is what sends to it loaded. */
export const namesCollector = (env: NodeJS.ProcessEnv = process.env): boolean =>
  Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_.*ENDPOINT$/.test(name))

/** Whether spans have the content of messages. */
export const capturesContent = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true'
