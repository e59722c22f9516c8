// mutool run redact.js <source> <target> <terms.json>: removes every occurrence of the terms,
// the characters as well as the pixels below them, and prints the number of occurrences on each page.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/correctness/noInnerDeclarations: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

var source = new PDFDocument(scriptArgs[0])
var terms = JSON.parse(read(scriptArgs[2]))
var blackBoxes = true
var blackenPixels = 2
// A search returns at most 500 matches; further rounds find the others.
var maxRounds = 50

function markMatches(page) {
  var matches = 0
  terms.forEach(function (term) {
    page.search(term).forEach(function (quads) {
      page.createAnnotation('Redact').setQuadPoints(quads)
      matches++
    })
  })
  return matches
}

for (var number = 0; number < source.countPages(); number++) {
  var total = 0
  for (var round = 0; round < maxRounds; round++) {
    var page = source.loadPage(number)
    var matches = markMatches(page)
    if (matches === 0) break
    page.applyRedactions(blackBoxes, blackenPixels)
    total += matches
  }
  print(total)
}
source.save(scriptArgs[1], 'garbage=3,compress')
