/** What people say is to be done. One line, words that stand for one another; a later word of a line is found by an
 *  earlier one and the other way round. */
export const ACTIONS: readonly string[] = `
create make new add generate build insert setup provision compose draft start
delete remove erase drop destroy purge discard trash clear uninstall unset
open create raise file log start begin
rerun retry rerun restart run trigger again
react reaction emoji
exec execute run shell
approve review accept
request ask review
turnon enable activate update toggle
turnoff disable deactivate update toggle
signin login authenticate auth
signout logout
login authenticate auth
forget delete remove
reorder move sort
spawn create start
dial call
ping health check
unlink disconnect
attach upload add
post create send
schedule create event
book create event
patch update
register create add
file create
raise create
kill stop delete terminate
update edit modify change alter set patch revise adjust rewrite replace
rename relabel retitle
move relocate transfer shift
copy duplicate clone replicate
search find query lookup seek locate discover browse
get fetch retrieve read show view obtain open display see look load
list enumerate show all
send post publish submit deliver message
upload put store save write push import
download export save pull fetch
run execute invoke launch trigger start perform
stop halt kill terminate cancel abort end pause
restart reboot reload reset
start launch begin boot enable
enable activate turn-on switch-on toggle
disable deactivate turn-off switch-off toggle
join enter
leave quit exit
close resolve finish complete done
approve accept confirm acknowledge
assign delegate allocate
share grant permission
lock protect
check verify validate test inspect
compare diff difference versus contrast
merge combine join concatenate unite
convert transform translate change
calculate compute evaluate solve math arithmetic calculator expression
count number total how-many
sum aggregate total
sort order
summarize summary overview digest outline
explain describe detail information info about metadata
schedule plan book
subscribe follow watch
comment reply note remark annotate annotation
draw plot render sketch visualize chart
monitor watch observe
deploy release rollout ship
scale resize replicas
crawl scrape spider
scrape extract crawl
click press tap
type fill enter input
navigate goto visit open go
translate localize
remember memorize store memory
think reason reasoning
expire ttl expiration
merge join
unmerge split
split divide
fork clone
restore recover undo undelete revert
revert undo rollback restore
undo revert
plan explain
empty clear
`
  .trim()
  .split('\n');
