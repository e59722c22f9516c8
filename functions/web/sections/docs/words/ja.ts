import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  fromTerminal: 'ターミナルからファイルを変換',
  title: 'API リファレンス',
  events: 'イベント：Webhook、WebSocket、ストリーム',
  errors: 'エラー',
  search: '操作を検索',
  found: (count) => `${count} 件の操作`,
  contents: '操作',
  about: (name) => `概要：${name}`,
  toAll: 'すべての操作',
  command: 'リクエストの例',
  parameters: 'パラメーター',
  requestBody: 'リクエスト本文',
  response: 'レスポンス',
  example: 'レスポンスの例',
  statusCodes: 'ステータスコード',
  field: 'フィールド',
  type: '型',
  meaning: '説明',
  status: 'ステータス',
  required: '必須',
  nothing: 'なし。',
  locations: { path: 'パス', query: 'クエリ', header: 'ヘッダー' },
  open: '認証は不要です。',
  openOr: (scopes) => `認証は不要です。キーとトークンには ${scopes} が必要です。`,
  needs: (scopes) => `${scopes} が必要です。`,
  authentication: '認証',
  unreachable: 'API の説明を読み込めませんでした。接続を確認して、もう一度お試しください。',
}

export default words
