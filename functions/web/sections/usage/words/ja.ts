import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: '利用状況',
  lead: 'これまでの使用量と、プランの残りを確認できます。',
  quota: 'ご利用のプラン',
  plan: 'プラン',
  largest: '最大ファイルサイズ',
  filesPerJob: 'ジョブあたりのファイル数',
  runningJobs: '実行中のジョブ',
  ofLimit: (used, limit) => `${used} / ${limit}`,
  limited: '上限の対象',
  limits: (kind, window) => `${window}の${kind}`,
  kinds: {
    requests: 'リクエスト',
    reads: '読み取りリクエスト',
    'conversion-minutes': '変換時間（分）',
  },
  windows: { minute: '1 分あたり', hour: '1 時間あたり', day: '1 日あたり', month: '1 か月あたり' },
  limit: '上限',
  left: '残り',
  resets: 'リセット日時',
  unlimited: '無制限',
  noLimits: '上限なし',
  activity: '利用履歴',
  used: '使用量',
  span: '期間',
  lastDays: (days) => `過去 ${days} 日間`,
  by: '集計単位',
  groupings: { engine: 'エンジン', format: '形式', key: 'API キー' },
  jobsByDay: '1 日あたりのジョブ数',
  day: '日付',
  name: '名前',
  jobs: 'ジョブ',
  completed: '完了',
  failed: '失敗',
  minutes: '分',
  bytesIn: '入力',
  bytesOut: '出力',
  nothing: 'この期間の利用はありません。',
}

export default words
