/* An empty program: what starting and collecting any program costs, linked once with and once
 * without shared libraries. */
int main(void)
{
    return 0;
}
