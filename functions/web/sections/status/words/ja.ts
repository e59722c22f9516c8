import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: '稼働状況',
  lead: 'サービスの現在の状態と最近の実績。',
  now: '現在',
  allOperational: 'すべて正常に稼働しています',
  someFailing: '一部のシステムが停止しています',
  components: 'コンポーネント',
  queues: 'キュー',
  queue: 'キュー',
  engines: 'エンジン',
  state: '状態',
  responseTime: '応答時間',
  works: '正常',
  fails: '応答なし',
  installed: 'インストール済み',
  missing: '未インストール',
  none: 'なし。',
  refresh: '更新',
  recent: (days) => `過去 ${days} 日間`,
  success: '成功した変換',
  median: '半数の完了時間',
  p95: '95% の完了時間',
  note: '破損したファイルを除く。',
  unreachable: 'サーバーに接続できません。接続を確認して、もう一度お試しください。',
  names: { table: 'データベース', files: 'ファイルストレージ', disk: 'ディスクの空き容量' },
}

export default words
