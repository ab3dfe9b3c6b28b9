// The part of pg that is used.

declare module 'pg' {
  export interface Result {
    readonly rows: readonly Record<string, unknown>[]
    readonly rowCount: number | null
  }

  export interface ClientConfig {
    readonly connectionString: string
    readonly application_name?: string
    readonly connectionTimeoutMillis?: number
    readonly keepAlive?: boolean
    /** Milliseconds for an answer; without one the connection is broken. */
    readonly query_timeout?: number
    /** Statements are sent without waiting for earlier answers. */
    readonly pipeline?: boolean
  }

  export class Client {
    readonly host: string
    readonly ssl: unknown
    constructor(config: ClientConfig)
    connect(): Promise<void>
    query(statement: string | { readonly name: string; readonly text: string; readonly values: readonly unknown[] }): Promise<Result>
    end(): Promise<void>
    on(event: 'notification', listener: () => void): void
    on(event: 'error', listener: (error: Error) => void): void
    on(event: 'end', listener: () => void): void
  }
}
