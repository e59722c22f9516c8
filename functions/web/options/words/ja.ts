import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  moreOptions: '詳細設定',
  automatic: '自動',
  yes: 'はい',
  no: 'いいえ',
  customNumber: '数値を指定',
  sliderOf: (label) => `${label}（スライダー）`,
  showPassword: 'パスワードを表示',
  colorOf: (label) => `${label}（カラーピッカー）`,
  between: (min, max) => `${min} から ${max} までの数値を入力してください。`,
  atLeast: (min) => `${min} 以上の数値を入力してください。`,
  atMost: (max) => `${max} 以下の数値を入力してください。`,
  notAnInteger: '整数を入力してください。',
  notANumber: '数値を入力してください。',
  invalidValue: 'この値を確認してください。',
  sizeUnit: 'サイズの単位',
  sizesOf: (originalSize) => `このファイル（${originalSize}）に適したサイズ`,
  atMostSize: (size) => `${size} 以下`,
  searchLanguages: '言語を検索',
  removeLanguage: (name) => `${name}を外す`,
  noLanguage: (typedText) => `「${typedText}」という言語はありません。`,
  maxLanguages: (max) => `選択できる言語は ${max} 個までです。`,
  customSize: 'サイズを指定',
  paperWidth: '用紙の幅',
  paperHeight: '用紙の高さ',
  paperUnit: '用紙サイズの単位',
  pickPages: 'ページを選ぶ',
  trim: '範囲の切り出し',
  startHere: 'ここから開始',
  endHere: 'ここで終了',
  useThisFrame: 'このフレームを使う',
  playSelection: '選択範囲を再生',
  selection: (start, end, length) => `${start}～${end}（${length}）`,
}

export default words
