// Prints what Go gives for methods of times, durations and versions in templates:
//
//	TZ=UTC go run . > ../../plugins/workflow/gotpl/methodCases.json
//
// A case is [prelude, template, output] or [prelude, template, null, error]; the preludes come first.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// Parsed as written, so that most zones and spans are met: the zero time, leap days, years that RFC 3339 cannot hold.
var times = []string{
	`(toDate "2006-01-02 15:04:05" "2024-02-29 23:59:59")`,
	`(toDate "2006-01-02T15:04:05.999999999Z07:00" "2024-02-01T03:04:05.678901234Z")`,
	`(toDate "2006-01-02T15:04:05.999999999Z07:00" "1969-12-31T23:59:59.000000001+05:30")`,
	`(toDate "2006-01-02T15:04:05.999999999Z07:00" "2024-11-03T01:30:00.5-04:00")`,
	`(toDate "2006-01-02 15:04:05 MST" "2023-07-09 12:00:00 CEST")`,
	`(toDate "2006-01-02 15:04:05 -0700 MST" "2023-07-09 12:00:00 +0200 CEST")`,
	`(toDate "2006-01-02" "0001-01-01")`,
	`((toDate "2006-01-02" "0001-01-01").AddDate -3 0 0)`,
	`((toDate "2006-01-02" "9999-12-31").AddDate 0 0 1)`,
	`((toDate "2006-01-02T15:04:05Z07:00" "1883-01-15T00:00:00+23:59").UTC)`,
	`((toDate "2006-01-02" "2200-08-30").AddDate 300 5 -40)`,
	`(toDate "2006-01-02" "not a date")`,
}

// The first six pairs of times, and their spans, differ by nanoseconds up to more than a Duration holds.
var pairs = [][2]int{{0, 1}, {1, 0}, {1, 2}, {3, 4}, {5, 4}, {6, 10}, {10, 6}, {3, 3}, {0, 9}, {2, 11}}

var versions = []string{
	`(semver "1.2.3")`, `(semver "v1.2.3-beta.1+b345")`, `(semver "0")`, `(semver "v2.0")`,
	`(semver "1.2.3-alpha.10")`, `(semver "1.2.3-alpha.9.x")`, `(semver "18446744073709551615.1.0+meta")`,
}

var ints = []string{
	`0`, `1`, `2`, `-3`, `7`, `11`, `1000000`, `3600000000000`, `2.0`, `1.5`, `"2"`, `true`, `nil`, `(int64 2)`, `(int 2)`, `(len "ab")`,
	`(float64 2)`, `(index "\x02" 0)`, `1i`, `'\x02'`, `(list 1)`, `(dict)`,
}

var layouts = []string{
	`"2006-01-02"`, `"Mon Jan _2 15:04:05 2006"`, `"02 Jan 06 15:04 MST"`, `"Monday, 02-Jan-06 15:04:05 -07:00"`, `"3:04PM"`,
	`"2006-01-02T15:04:05.999999999Z07:00"`, `"Jan _2 15:04:05.000000"`, `"002 __2 .999 ,000 Z0700 Z07 -07 pm"`, `""`, `"é %s 1 2 3"`,
}

// What a port in JavaScript must never reach, and what Go keeps for itself.
var names = []string{
	"constructor", "toString", "__proto__", "valueOf", "hasOwnProperty", "toJSON", "text", "goText", "civil", "in", "seconds", "nanos", "zone",
	"wall", "ext", "loc", "fields", "value", "kindName", "typeName", "major", "original", "Nope", "Clock", "Date", "Zone", "ISOWeek", "ZoneBounds", "string", "name",
}

type program struct {
	out      *bufio.Writer
	preludes []string
	cases    []string
	seen     map[string]bool
}

func (p *program) prelude(text string) int {
	for i, known := range p.preludes {
		if known == text {
			return i
		}
	}
	p.preludes = append(p.preludes, text)
	return len(p.preludes) - 1
}

func marshal(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(text.String())
}

func (p *program) add(prelude, body string) {
	if p.seen[prelude+body] {
		return
	}
	p.seen[prelude+body] = true
	output, err := run(prelude + body)
	if strings.Contains(output+fmt.Sprint(err), "0xc0") {
		return // An address, which differs from run to run.
	}
	if err == nil {
		p.cases = append(p.cases, marshal([]any{p.prelude(prelude), body, output}))
		return
	}
	p.cases = append(p.cases, marshal([]any{p.prelude(prelude), body, nil, err.Error()}))
}

// Adds a case unless its outcome is another where the local zone is: such a case would say something of the machine.
func (p *program) steady(prelude, body string) {
	output, err := run(prelude + body)
	here := time.Local
	defer func() { time.Local = here }()
	for _, name := range []string{"America/New_York", "Asia/Tokyo"} {
		zone, failure := time.LoadLocation(name)
		if failure != nil {
			panic(failure)
		}
		time.Local = zone
		other, otherErr := run(prelude + body)
		if other != output || fmt.Sprint(otherErr) != fmt.Sprint(err) {
			return
		}
	}
	time.Local = here
	p.add(prelude, body)
}

func run(text string) (string, error) {
	parsed, err := template.New("template").Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = parsed.Execute(&out, map[string]any{})
	return out.String(), err
}

// Adds the value of an expression, and what the printing and encoding functions make of it.
func (p *program) shown(prelude, expression string) {
	p.add(prelude, "{{ "+expression+" }}")
	p.add(prelude, "{{ with "+expression+" }}{{ printf \"%T %v %s\" . . . }} {{ kindOf . }} {{ typeOf . }} {{ toJson . }} {{ toString . }}{{ end }}")
}

func main() {
	p := &program{out: bufio.NewWriter(os.Stdout), seen: map[string]bool{}}
	for i, text := range times {
		p.time("{{ $t := "+text+" }}", i)
	}
	for index, pair := range pairs {
		p.pair("{{ $t := "+times[pair[0]]+" }}{{ $u := "+times[pair[1]]+" }}", index)
	}
	for index, text := range versions {
		p.version("{{ $v := "+text+" }}", index)
		for _, other := range versions {
			prelude := "{{ $v := " + text + " }}{{ $w := " + other + " }}"
			p.add(prelude, "{{ $v.Compare $w }} {{ $v.Equal $w }} {{ $v.LessThan $w }} {{ $v.LessThanEqual $w }} {{ $v.GreaterThan $w }} {{ $v.GreaterThanEqual $w }}")
			p.add(prelude, "{{ eq $v $w }}")
		}
	}
	p.integers()
	p.mixtures()
	p.wide()
	fmt.Fprintln(p.out, "{\n\"preludes\": [")
	fmt.Fprintln(p.out, lines(p.preludes, func(text string) string { return marshal(text) }))
	fmt.Fprintln(p.out, "],\n\"cases\": [")
	fmt.Fprintln(p.out, lines(p.cases, func(text string) string { return text }))
	fmt.Fprintln(p.out, "]\n}")
	p.out.Flush()
}

func lines(items []string, show func(string) string) string {
	shown := make([]string, len(items))
	for i, item := range items {
		shown[i] = show(item)
	}
	return strings.Join(shown, ",\n")
}

func (p *program) time(prelude string, index int) {
	for _, name := range []string{
		"Year", "Month", "Day", "Hour", "Minute", "Second", "Nanosecond", "YearDay", "Weekday", "Unix", "UnixMilli", "UnixMicro", "UnixNano",
		"IsZero", "IsDST", "UTC", "Local", "Location", "String", "GoString", "MarshalJSON", "MarshalText", "Location.String", "Month.String",
		"Weekday.String", "UTC.Location", "Local.Location", "UTC.Month", "Local.Weekday.String",
	} {
		p.shown(prelude, "$t."+name)
		if index == 0 {
			p.add(prelude, "{{ $t."+name+" 1 }}")
			p.add(prelude, "{{ 1 | $t."+name+" }}")
			p.add(prelude, "{{ $t."+name+".Nope }}")
		}
	}
	for _, layout := range layouts {
		p.add(prelude, "{{ $t.Format "+layout+" }}")
		p.add(prelude, "{{ "+layout+" | $t.UTC.Format }}")
	}
	for _, amount := range []string{"0", "1", "-1", "1000000000", "-90000000000000", "9223372036854775807", "-9223372036854775808", "60000000000", "3600000000000", "86400000000000", "7000000000", "1500000"} {
		for _, method := range []string{"Add", "Round", "Truncate"} {
			p.add(prelude, "{{ $t."+method+" "+amount+" }}")
			if index == 0 {
				p.add(prelude, "{{ ("+amount+" | int64 | $t."+method+") }}")
			}
		}
	}
	for _, argument := range ints {
		for _, method := range []string{"Add", "Round", "Truncate", "AddDate 0 0", "Format", "Sub", "After", "Equal", "In", "Compare"} {
			if index < 2 && !(method == "AddDate 0 0" && argument == "3600000000000") {
				p.add(prelude, "{{ $t."+method+" "+argument+" }}")
			}
		}
		if index > 3 {
			continue
		}
		p.add(prelude, "{{ eq $t.Month "+argument+" }}")
		p.add(prelude, "{{ lt $t.Weekday "+argument+" }}")
		p.add(prelude, "{{ ge "+argument+" $t.Month }}")
	}
	for _, dates := range []string{"0 1 0", "1 -14 31", "0 0 -400", "-2000 0 0", "4 25 100"} {
		p.add(prelude, "{{ $t.AddDate "+dates+" }} {{ ($t.AddDate "+dates+").Weekday }}")
	}
	for _, name := range names {
		if index > 1 {
			break
		}
		p.add(prelude, "{{ $t."+name+" }}")
		p.add(prelude, "{{ $t.Month."+name+" }}")
		p.add(prelude, "{{ $t.Location."+name+" }}")
		p.add(prelude, "{{ ($t.Sub $t)."+name+" }}")
	}
}

func (p *program) pair(prelude string, index int) {
	p.shown(prelude, "$t.Sub $u")
	p.add(prelude, "{{ $t.After $u }} {{ $t.Before $u }} {{ $t.Equal $u }} {{ $t.Compare $u }} {{ eq $t $u }}")
	p.shown(prelude, "($t.In $u.Location)")
	p.add(prelude, "{{ eq $t.Location $u.Location }}")
	p.add(prelude, "{{ eq $t.Month $u.Month }} {{ eq $t.Weekday $u.Weekday }} {{ lt $t.Month $u.Month }}")
	p.add(prelude, "{{ $t.Add ($t.Sub $u) }}")
	p.add(prelude, "{{ $u.Add ($t.Sub $u) }} {{ ($u.Add ($t.Sub $u)).Equal $t }}")
	p.add(prelude, "{{ ($t.Sub $u) | $u.Add }}")
	span := prelude + "{{ $d := ($t.Sub $u) }}"
	for _, name := range []string{"Hours", "Minutes", "Seconds", "Milliseconds", "Microseconds", "Nanoseconds", "Abs", "String", "Abs.Hours", "Abs.String"} {
		p.shown(span, "$d."+name)
		if index == 0 {
			p.add(span, "{{ $d."+name+" 1 }}")
			p.add(span, "{{ 1 | $d."+name+" }}")
		}
	}
	for _, unit := range []string{"1", "0", "-5", "1000", "7000000", "1000000000", "60000000000", "3600000000000", "86400000000000", "9223372036854775807"} {
		for _, method := range []string{"Round", "Truncate"} {
			p.add(span, "{{ $d."+method+" "+unit+" }}")
			p.add(span, "{{ ($d."+method+" "+unit+").Seconds }}")
			p.add(span, "{{ $t."+method+" ($d."+method+" "+unit+") }}")
		}
	}
	for _, argument := range ints {
		if index%4 != 0 {
			break
		}
		for _, operator := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			p.add(span, "{{ "+operator+" $d "+argument+" }}")
			p.add(span, "{{ "+operator+" "+argument+" $d }}")
		}
		p.add(span, "{{ $d.Round "+argument+" }}")
	}
	p.add(span, "{{ if $d }}yes{{ else }}no{{ end }} {{ not $d }} {{ default 1 $d }} {{ empty $d }} {{ ternary 1 2 true }}")
	p.add(span, "{{ duration $d }} {{ durationRound $d }}")
	p.add(span, "{{ add $d 1 }} {{ int64 $d }} {{ float64 $d }} {{ int $d }}")
	p.add(span, "{{ add $t.Month 1 }} {{ int64 $t.Weekday }} {{ float64 $t.Month }} {{ int $t.Month }}")
	p.add(span, "{{ max $t.Month 5 }} {{ until (int $t.Month) }}")
	p.add(span, "{{ deepEqual $d ($t.Sub $u) }} {{ deepEqual $t.Month $u.Month }} {{ deepEqual $t $t }} {{ deepEqual $t.Location $t.Location }}")
	p.add(span, "{{ list $d $t.Month $t.Weekday | toJson }} {{ list $d $t.Month }} {{ printf \"%v\" (dict \"a\" $d \"b\" $t) }}")
	p.add(span, "{{ has $d (list $d) }} {{ uniq (list $d $d) }} {{ join \",\" (list $d $t.Month) }} {{ cat $d $t.Month }} {{ quote $d $t.Month }}")
	p.add(span, "{{ $d | toString | upper }} {{ $t.Month | toString | lower }}")
	p.add(span, "{{ printf \"%d %x %5d|%-5d|%05d %c %q %U %o %b %t %f %e\" $d $d $d $d $d 1 $t.Month $t.Month $d $d $d $d $d }}")
	p.add(span, "{{ printf \"%10s|%-10s|%10v|%.2s|%q|%x|%#v|%+v\" $t.Month $t.Month $d $t.Month $t.Month $t.Month $t.Month $d }}")
	p.add(span, "{{ html $d }} {{ js $t.Month }} {{ urlquery $d }} {{ print $d $t.Month 1 }} {{ println $d }}")
	p.add(span, "{{ printf \"%p\" $d }} {{ printf \"%p\" $t.Month }}")
}

func (p *program) version(prelude string, index int) {
	for _, name := range []string{
		"Major", "Minor", "Patch", "Prerelease", "Metadata", "Original", "String", "IncMajor", "IncMinor", "IncPatch", "MarshalJSON", "MarshalText", "Value",
		"IncMajor.Major", "IncMinor.String", "IncPatch.Prerelease", "IncMajor.Original", "IncMajor.IncMinor", "IncMajor.Value",
	} {
		p.shown(prelude, "$v."+name)
		if index == 0 {
			p.add(prelude, "{{ $v."+name+" 1 }}")
			p.add(prelude, "{{ \"x\" | $v."+name+" }}")
		}
	}
	for _, text := range []string{`""`, `"beta"`, `"beta.1"`, `"01"`, `"a.01"`, `"0"`, `"a..b"`, `"é"`, `"a_b"`, `"-"`, `1`, `nil`} {
		p.shown(prelude, "$v.SetPrerelease "+text)
		p.add(prelude, "{{ $v.SetMetadata "+text+" }}")
		p.add(prelude, "{{ ($v.SetPrerelease "+text+").Original }}")
		p.add(prelude, "{{ ($v.SetMetadata "+text+").String }}")
		p.add(prelude, "{{ $v.Compare "+text+" }}")
	}
	for _, argument := range ints {
		if index > 1 {
			break
		}
		p.add(prelude, "{{ eq $v.Major "+argument+" }}")
		p.add(prelude, "{{ lt $v.Minor "+argument+" }}")
	}
	p.add(prelude, "{{ $v.Compare $v.IncMajor }}")
	p.add(prelude, "{{ $v.LessThan ($v.SetMetadata \"x\") }}")
	p.add(prelude, "{{ $v.IncMajor.Compare $v }}")
	p.add(prelude, "{{ $v.IncMajor.Equal $v }}")
	for _, name := range names {
		if index > 0 {
			break
		}
		p.add(prelude, "{{ $v."+name+" }}")
		p.add(prelude, "{{ $v.IncMajor."+name+" }}")
	}
}

const sample = `{{ $t := (toDate "2006-01-02 15:04:05" "2024-02-07 00:00:03") }}{{ $d := ($t.Sub ($t.AddDate 0 0 -1)) }}{{ $s := ($t.Sub ($t.Add -3)) }}`

// Named integers where a template takes integers.
func (p *program) integers() {
	for _, value := range []string{"$t.Month", "$t.Weekday", "$s", "$d"} {
		p.add(sample, "{{ index (list \"a\" \"b\" \"c\" \"d\" \"e\") "+value+" }}")
		p.add(sample, "{{ index \"abcdef\" "+value+" }}")
		if value != "$d" {
			p.add(sample, "{{ range "+value+" }}[{{ . }}]{{ else }}none{{ end }}")
			p.add(sample, "{{ range $i := "+value+" }}[{{ printf \"%T\" $i }}]{{ end }}")
		}
		p.add(sample, "{{ range $i, $e := "+value+" }}{{ end }}")
		p.add(sample, "{{ until "+value+" }}")
		p.add(sample, "{{ repeat "+value+" \"x\" }}")
		p.add(sample, "{{ slice (list 1 2 3 4 5) 1 "+value+" }}")
		p.add(sample, "{{ substr 0 "+value+" \"abcdef\" }}")
		p.add(sample, "{{ len "+value+" }}")
		p.add(sample, "{{ and "+value+" 1 }} {{ or "+value+" 1 }}")
		p.add(sample, "{{ with "+value+" }}{{ . }}{{ end }}")
		p.add(sample, "{{ printf \"%*d\" "+value+" 1 }}")
		for _, function := range []string{"add1", "int", "int64", "float64", "floor", "ceil", "toDecimal", "ago", "duration", "durationRound", "unixEpoch", "toStrings", "kindOf", "atoi", "abbrev 5", "b64enc", "trim", "add", "mul 2", "div 100", "mod 5", "max 3", "min 3", "addf 1.5", "seq", "toRawJson", "toPrettyJson", "typeIs \"time.Month\"", "kindIs \"int64\"", "coalesce", "empty", "list", "ternary 1 2", "hello"} {
			p.add(sample, "{{ "+function+" "+value+" }}")
		}
	}
}

// Chains of several methods, drawn with a fixed seed.
func (p *program) mixtures() {
	random := rand.New(rand.NewSource(26))
	pick := func(of []string) string { return of[random.Intn(len(of))] }
	for i := 0; i < 700; i++ {
		prelude := "{{ $t := " + pick(times[:6]) + " }}{{ $u := " + pick(times[:6]) + " }}"
		span := pick([]string{"($t.Sub $u)", "($u.Sub $t).Abs", "(($t.Sub $u).Round 3600000000000)", "(($u.Sub $t).Truncate 7000000000)"})
		moment := pick([]string{"$t", "$u", "($t.Add " + span + ")", "($u.Truncate 86400000000000)", "($t.Round 3600000000000)", "($u.In $t.Location)", "($t.AddDate 0 " + fmt.Sprint(random.Intn(40)-20) + " " + fmt.Sprint(random.Intn(900)-450) + ")", "$t.UTC", "$u.Local"})
		number := pick([]string{moment + ".Month", moment + ".Weekday", moment + ".Day", moment + ".Unix", moment + ".YearDay", span, span + ".Hours", span + ".Minutes", span + ".Seconds", span + ".Milliseconds", "(" + moment + ".Sub $t)"})
		other := pick([]string{fmt.Sprint(random.Intn(13)), moment + ".Month", moment + ".Hour", span, span + ".Hours", "(int64 " + fmt.Sprint(random.Intn(9)) + ")", `"x"`, "1.5", "(semver \"2.1.0\").Major"})
		switch random.Intn(5) {
		case 0:
			p.add(prelude, "{{ "+pick([]string{"eq", "ne", "lt", "le", "gt", "ge"})+" "+number+" "+other+" }}")
		case 1:
			p.add(prelude, "{{ "+moment+".Format "+pick(layouts)+" }}")
		case 2:
			p.add(prelude, "{{ "+number+" }} {{ "+moment+" }}")
		case 3:
			p.add(prelude, "{{ printf \""+pick([]string{"%v", "%d", "%s", "%q", "%x", "%.1f", "%T", "%08d", "%+v", "%#v"})+"\" "+number+" }}")
		default:
			p.add(prelude, "{{ eq "+number+" "+other+" "+pick([]string{"2", moment + ".Month", `"y"`, span})+" }}")
		}
	}
}

// Times that name their offset, none of them that of a zone in which steady looks.
var zoned = []string{
	`(toDate "2006-01-02T15:04:05.999999999Z07:00" "2024-02-01T03:04:05.678901234Z")`,
	`(toDate "2006-01-02T15:04:05.999999999Z07:00" "1969-12-31T23:59:59.000000001+05:30")`,
	`(toDate "2006-01-02T15:04:05Z07:00" "2024-12-31T23:59:60Z")`,
	`(toDate "2006-01-02T15:04:05Z07:00" "2024-02-29T12:00:00-03:30")`,
	`(toDate "2006-01-02T15:04:05.999Z07:00" "2100-03-01T00:00:00.5+12:45")`,
	`((toDate "2006-01-02T15:04:05Z07:00" "1582-10-15T06:07:08Z").AddDate -900 0 0)`,
	`((toDate "2006-01-02T15:04:05Z07:00" "1900-03-01T00:00:00+01:00").UTC)`,
	`(toDate "2006-01-02T15:04:05Z07:00" "9999-12-31T23:59:59-11:00")`,
}

// Longer templates than those of mixtures, drawn with a seed of their own: control structures, variables, functions of sprig and versions.
func (p *program) wide() {
	random := rand.New(rand.NewSource(126))
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	count := func(from, to int) string { return fmt.Sprint(from + random.Intn(to-from)) }
	for i := 0; i < 3750; i++ {
		prelude := "{{ $t := " + pick(zoned...) + " }}{{ $u := " + pick(zoned...) + " }}"
		unit := pick("1", "1500000", "7000000000", "60000000000", "3600000000000", "86400000000000", "-5", count(-90000, 90000))
		span := pick("($t.Sub $u)", "($u.Sub $t).Abs", "(($t.Sub $u).Round "+unit+")", "(($u.Sub $t).Truncate "+unit+")", "($t.Sub ($t.Add "+unit+"))")
		moment := pick("$t", "$u", "$t.UTC", "($t.Add "+span+")", "($u.Truncate "+unit+")", "($t.Round "+unit+")", "($u.In $t.Location)",
			"($t.AddDate "+count(-40, 40)+" "+count(-20, 20)+" "+count(-450, 450)+")", "($u.Add "+unit+")", "(mustDateModify \""+count(-90, 90)+"h"+count(0, 60)+"m\" $t)")
		named := pick(moment+".Month", moment+".Weekday", span, "("+moment+".Sub $u)")
		number := pick(named, named, moment+".Day", moment+".Unix", moment+".YearDay", moment+".Hour", moment+".Nanosecond", span+".Hours", span+".Milliseconds", moment+".UnixMilli")
		other := pick(count(0, 13), named, moment+".Minute", "(int64 "+count(0, 9)+")", "(int "+count(0, 9)+")", span+".Seconds", "(float64 "+count(0, 9)+")", `"x"`, "nil", "1.5", "true")
		compare := pick("eq", "ne", "lt", "le", "gt", "ge")
		format := pick("%v", "%d", "%s", "%q", "%x", "%X", "%.1f", "%T", "%08d", "%+v", "%#v", "%+d", "%-9s|", "%12v", "%.3s", "%c", "%t", "%o", "%6.2f", "%e")
		switch random.Intn(12) {
		case 0:
			p.steady(prelude, "{{ "+compare+" "+number+" "+other+" }}")
		case 1:
			p.steady(prelude, "{{ if "+compare+" "+other+" "+number+" }}yes{{ else if "+named+" }}{{ "+number+" }}{{ else }}no{{ end }}")
		case 2:
			p.steady(prelude, "{{ "+moment+".Format "+pick(layouts...)+" }}")
		case 3:
			p.steady(prelude, "{{ printf \""+format+" %v\" "+number+" "+pick(other, moment)+" }} {{ printf \""+pick("%d", "%8d", "%o")+"\" "+pick(number, moment+".UTC")+" }}")
		case 4:
			p.steady(prelude, "{{ with "+number+" }}{{ . }} {{ kindOf . }} {{ toJson . }}{{ else }}none{{ end }}")
		case 5:
			p.steady(prelude, "{{ $n := "+number+" }}{{ range $i, $e := list $n "+other+" }}{{ $i }}={{ "+compare+" $e $n }} {{ end }}")
		case 6:
			p.steady(prelude, "{{ "+pick("add", "sub", "mul", "div", "mod", "max", "min", "addf", "mulf", "maxf")+" "+number+" "+pick(other, number)+" }}")
		case 7:
			p.steady(prelude, "{{ dict \"a\" "+number+" \"b\" "+pick(moment, other, span)+" | "+pick("toJson", "toPrettyJson", "values | len", "keys | sortAlpha", "printf \"%v\"")+" }}")
		case 8:
			p.steady(prelude, "{{ "+pick("dateInZone \"2006-01-02 15:04 MST\" "+moment+" \"UTC\"", "htmlDateInZone "+moment+" \"UTC\"", "unixEpoch "+moment, "durationRound "+span, "duration "+number, moment+" | toString | len", "list "+number+" "+other+" | join \"-\"")+" }}")
		case 9:
			p.steady(prelude, "{{ "+moment+"."+pick("After", "Before", "Equal", "Compare", "Sub")+" "+pick("$t", "$u", moment, other, span)+" }}")
		case 10:
			p.steady(prelude, "{{ "+pick("and", "or")+" ("+compare+" "+number+" "+pick(number, other)+") "+pick(named, "(not "+named+")", other)+" }}")
		default:
			version := "(semver \"" + count(0, 4) + "." + count(0, 13) + "." + count(0, 30) + pick("", "-rc."+count(0, 12), "+b"+count(0, 9)) + "\")"
			second := pick("(semver \""+count(0, 4)+".2.0\")", version+".IncMinor", "("+version+".SetPrerelease \"a."+count(0, 20)+"\")")
			p.steady("", "{{ $v := "+version+" }}{{ $w := "+second+" }}{{ $v."+pick("Compare", "Equal", "LessThan", "GreaterThan", "LessThanEqual")+" $w }} {{ $w }} {{ "+compare+" $v."+pick("Major", "Minor", "Patch")+" $w.Patch }} {{ $v."+pick("IncPatch", "IncMajor.Original", "Prerelease", "Metadata")+" }}")
		}
	}
}
