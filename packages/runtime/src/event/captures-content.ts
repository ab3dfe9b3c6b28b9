// Whether spans have the content of messages, by the variable of OpenTelemetry's conventions.

export const capturesContent = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true'
