# One RED or REM queue in front of a 10 Mb/s link, watched packet by packet, in ns-2.35.
#
#     ns queue.tcl name=value ...
#
# All agents sit on the two ends of the link, so a packet that is sent reaches the queue at the same instant.
# The traffic goes through everything a queue sees: a start of many windows at once with an overflow, silence,
# single packets of several sizes at irregular gaps, a steady overload, and windows with idle time between them.
# The senders understand ECN and the queue only marks: no random draw decides which packets the queue holds.
#
# Output, one record per line, in the order of events:
#   arrive <time> <bytes>     a packet reaches the queue; the link may take it at once (`leave` follows)
#   drop <time> <bytes>       the packet that has just arrived is refused
#   leave <time> <bytes>      a packet leaves the queue for the link
#   red <average> <p> <length>   RED after the last arrival: average, marking probability, length it saw
#   rem <time> <probability>  REM after an update of its price
#   end                       the run is complete

array set option {
    discipline  RED       limit       40       seconds   10        seed     1
    min_th      5         max_th      15       max_p     0.1       w_q      0.002
    phi         1.001     gamma       0.01     target    20        period   0.002
}
foreach word $argv {
    lassign [split $word =] name value
    if {![info exists option($name)]} {
        error "no option `$name'; there are: [lsort [array names option]]"
    }
    set option($name) $value
}

ns-random [expr {104729 + 7919 * $option(seed)}]
set gaps [new RNG]
$gaps seed [expr {4242 + $option(seed)}]

# A random delay before each burst, since ACKs come back exactly as far apart as packets leave: without it half
# of all arrivals would meet the end of a transmission.
foreach {name value} {window_ 60 packetSize_ 1000 useHeaders_ false ecn_ 1 overhead_ 0.0005} {
    Agent/TCP set $name $value
}
foreach {name value} [list \
        bytes_ false queue_in_bytes_ false mean_pktsize_ 1000 adaptive_ 0 gentle_ true wait_ true \
        thresh_ $option(min_th) maxthresh_ $option(max_th) \
        linterm_ [expr {1.0 / $option(max_p)}] q_weight_ $option(w_q) setbit_ true use_mark_p_ false] {
    Queue/RED set $name $value
}
foreach {name value} [list \
        phi_ $option(phi) gamma_ $option(gamma) pbo_ $option(target) pupdtime_ $option(period) \
        mean_pktsize_ 1000 qib_ false markpkts_ true] {
    Queue/REM set $name $value
}

set ns [new Simulator]
$ns rtproto Manual
remove-all-packet-headers
add-packet-header IP TCP Flags RTP
set near [$ns node]
set far [$ns node]
$ns simplex-link $near $far 10Mb 20ms $option(discipline)
$ns queue-limit $near $far $option(limit)
$ns simplex-link $far $near 10Mb 20ms DropTail
$ns queue-limit $far $near 100000
[$near get-module Manual] add-route-to-adj-node -default $far
[$far get-module Manual] add-route-to-adj-node -default $near
set queue [[$ns link $near $far] queue]

# --- Traffic ---------------------------------------------------------------------------------------------

for {set flow 0} {$flow < 10} {incr flow} {
    set sender($flow) [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $near $sender($flow)
    $ns attach-agent $far $sink
    $ns connect $sender($flow) $sink
}
set single [new Agent/UDP]
$single set packetSize_ 1500
set null [new Agent/Null]
$ns attach-agent $near $single
$ns attach-agent $far $null
$ns connect $single $null

proc transfer {time flow packets} {
    global ns sender
    $ns at $time "$sender($flow) advanceby $packets"
}
for {set flow 0} {$flow < 10} {incr flow} {
    transfer [expr {0.0123457 + 0.0131003 * $flow}] $flow 170
}
set time 3.0001237
set sizes {1000 40 500 1500 1000 250 1000 1460}
for {set packet 0} {$packet < 80} {incr packet} {
    $ns at $time "$single send [lindex $sizes [expr {$packet % 8}]]"
    set gap [expr {0.0003 * pow(400.0, [$gaps uniform 0.0 1.0])}]
    set time [expr {round(($time + $gap) * 1e7) / 1e7}]
}
for {set flow 0} {$flow < 6} {incr flow} {
    transfer [expr {5.3004321 + 0.0507001 * $flow}] $flow 210
}
for {set turn 0} {$turn < 10} {incr turn} {
    transfer [expr {7.6009873 + 0.1310007 * $turn}] [expr {$turn % 3}] 24
}

# --- Watching --------------------------------------------------------------------------------------------

proc watch {event} {
    global ns queue option
    switch [lindex $event 0] {
        + {
            if {$option(discipline) eq "RED"} { state }
            puts "arrive [$ns now] [lindex $event 5]"
        }
        - { puts "leave [$ns now] [lindex $event 5]" }
        d { puts "drop [$ns now] [lindex $event 5]" }
    }
}
proc state {} {
    global queue
    puts "red [$queue set ave_] [$queue set prob1_] [$queue set curq_]"
}
# REM's updates come at multiples of its period; look one nanosecond later.
proc look {update} {
    global ns queue option
    puts "rem [$ns now] [$queue set prob_]"
    incr update
    $ns at [expr {$update * $option(period) + 1e-9}] "look $update"
}
[$ns link $near $far] trace-callback $ns watch
if {$option(discipline) eq "REM"} {
    $ns at [expr {$option(period) + 1e-9}] "look 1"
}
$ns at $option(seconds) {
    if {$option(discipline) eq "RED"} { state }
    puts end
    flush stdout
    exit 0
}
$ns run
