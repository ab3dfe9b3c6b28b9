// An SQLite database in memory, loaded from and saved to bytes. SQLite is compiled to WebAssembly and touches no file.

import type { BindingSpec, Database as Connection, PreparedStatement, Sqlite3Static, SqlValue } from '@sqlite.org/sqlite-wasm'

type Row = readonly SqlValue[]

/** Methods throw the errors of SQLite: the bytes may be damaged in any way. */
export class SqliteDatabase {
  readonly #prepared = new Map<string, PreparedStatement>()

  private constructor(
    private readonly sqlite: Sqlite3Static,
    private readonly connection: Connection,
  ) {}

  static async open(bytes?: Uint8Array): Promise<SqliteDatabase> {
    const sqlite = await loadSqlite()
    const connection = new sqlite.oo1.DB(':memory:')
    if (bytes) load(sqlite, connection, bytes)
    // The file is not trusted: triggers and views in its schema must not run functions with side effects.
    connection.exec('pragma trusted_schema = off; pragma journal_mode = off; pragma cell_size_check = on')
    return new SqliteDatabase(sqlite, connection)
  }

  script(sql: string): void {
    this.connection.exec(sql)
  }

  run(sql: string, values: BindingSpec = []): void {
    const statement = this.#prepare(sql, values)
    try {
      statement.step()
    } finally {
      statement.reset(true)
    }
  }

  *rows(sql: string, values: BindingSpec = []): Generator<Row> {
    const statement = this.#prepare(sql, values)
    try {
      while (statement.step()) yield statement.get([])
    } finally {
      statement.reset(true)
    }
  }

  row(sql: string, values: BindingSpec = []): Row | undefined {
    for (const row of this.rows(sql, values)) return row
    return undefined
  }

  bytes(): Uint8Array {
    return this.sqlite.capi.sqlite3_js_db_export(this.connection)
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.finalize()
    this.#prepared.clear()
    this.connection.close()
  }

  #prepare(sql: string, values: BindingSpec): PreparedStatement {
    const known = this.#prepared.get(sql)
    const statement = known ?? this.connection.prepare(sql)
    if (!known) this.#prepared.set(sql, statement)
    if (Array.isArray(values) ? values.length > 0 : values) statement.bind(values)
    return statement
  }
}

const load = ({ capi, wasm }: Sqlite3Static, connection: Connection, bytes: Uint8Array): void => {
  // The binding does not accept a Buffer.
  const at = wasm.allocFromTypedArray(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length))
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE
  connection.checkRc(capi.sqlite3_deserialize(connection, 'main', at, bytes.length, bytes.length, flags))
}

let loading: Promise<Sqlite3Static> | undefined

const loadSqlite = (): Promise<Sqlite3Static> => {
  loading ??= start()
  return loading
}

const start = async (): Promise<Sqlite3Static> => {
  const { default: init } = await import('@sqlite.org/sqlite-wasm')
  const { default: wasmBinary } = await import('@sqlite.org/sqlite-wasm/sqlite3.wasm')
  // The types omit this option, which every Emscripten module has.
  return (init as (options: { readonly wasmBinary: Uint8Array }) => Promise<Sqlite3Static>)({ wasmBinary })
}
