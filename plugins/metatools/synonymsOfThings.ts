/** What people say it is done to, and how that is; read as in synonymsOfActions.ts. */
export const THINGS: readonly string[] = `
nearby local place near
restaurant place local
shop place local
hotel place local
howmany count number size total length stats
who user person
where location place
when time date schedule
meeting event
tomorrow calendar event date
today calendar event date
reaction emoji
picture image photo photograph graphic screenshot
screenshot capture snapshot screen
chart graph plot diagram visualization
diagram flowchart chart
pie donut
table grid spreadsheet
spreadsheet sheet workbook excel worksheet
document doc file page word text
file document attachment
folder directory dir path
email mail message gmail inbox
message text chat dm
chat conversation channel room
thread conversation discussion
calendar event appointment meeting agenda schedule
meeting event appointment call
task todo reminder chore ticket
ticket issue bug story
bug issue defect error
issue problem
project workspace
sprint iteration
label tag
contact person people
user person member people account employee colleague who
team group squad
role permission privilege right access
policy permission
password credential secret
key token
commit revision change
repository repo codebase project
code source snippet
release version
history log timeline past changes revisions
log logs trace
metric measurement statistic stat metrics
statistic metrics analytics stats
alert alarm notification warning incident
incident outage alert
dashboard panel board
database db
collection table
row record entry item line
column field attribute
query sql statement
schema structure layout mapping definition
index indices
bucket storage
instance server machine vm
server host node machine
container pod docker
pod container
deployment deploy rollout
webpage page website site url web
url link address uri
link url hyperlink
internet web online
web internet online website
news headline article
article page post
encyclopedia wikipedia
browser chrome page
form input
tab window
price quote cost rate value
stock share equity ticker
earnings income profit
income earnings revenue
dividend payout
company business firm organization
paper article publication preprint study
author writer
citation reference bibliography
map location place geo
place location venue poi
direction route path navigation
route directions way
distance far
address location
geocode coordinates latitude longitude
elevation altitude height
weather forecast
time clock hour now
date day
timezone time-zone
currency money
memory remember knowledge recall
knowledge graph memory
entity node object
relation relationship edge link
observation fact
step stage
vector embedding
list queue
hash map
expiration expire ttl
flag feature toggle
experiment test
variation variant
segment audience
environment env
environment stage
variable var parameter setting
setting configuration config option preference
configuration config setting
header heading title
heading header title
title heading name
paragraph text
footnote endnote note
picture figure
font typeface style
bold style format
format style
workflow dag pipeline
job run task
pipeline workflow
connection link
domain dns hostname zone
dns record domain
certificate ssl tls
website site
video clip
audio sound voice
local nearby
nearby near around
popular top trending best
latest recent newest last
newest latest recent
old oldest
size big large
status state health progress
health status
available free
busy free
vacation absence
attachment file upload
worklog time-log
hours worklog
transition status state
star favorite favourite bookmark
favorite star
backup dump snapshot export
snapshot backup
sample example random
slow performance
speed performance latency
cost price billing
customer client
bill invoice
dependency library package
library package module
documentation docs manual guide reference
docs documentation
example sample
template blueprint boilerplate
slide presentation
presentation slides deck
survey form questionnaire
answer response reply
question query ask
ask question query
shell terminal command console bash
command shell cli
script code function
function method
lambda function worker
secret credential
membership member
watcher follower
child sub nested
subtask child
tree hierarchy structure
word term
wifi network
network traffic request
traffic network
request http
error exception failure
failed error failure
crash error
`
  .trim()
  .split('\n');
